"""What other tools take of our models: ONNX, by converters for ``skl2onnx``."""
