"""The types of a Spark frame, as Arrow has them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


def arrow_type(t: Any) -> pa.DataType:
    """Return the Arrow type of a type of Spark; what Arrow has no type for is bytes, which are no cells."""
    import pyarrow as pa

    if hasattr(t, "sqlType"):  # MLlib's vectors: what they are made of
        return arrow_type(t.sqlType())
    if hasattr(t, "elementType"):
        return pa.list_(arrow_type(t.elementType))
    if hasattr(t, "keyType"):
        return pa.map_(arrow_type(t.keyType), arrow_type(t.valueType))
    if hasattr(t, "fields"):
        return pa.struct([(field.name, arrow_type(field.dataType)) for field in t.fields])
    word = t.simpleString()
    known = {
        "boolean": pa.bool_(), "tinyint": pa.int8(), "smallint": pa.int16(), "int": pa.int32(), "bigint": pa.int64(),
        "float": pa.float32(), "double": pa.float64(), "string": pa.string(), "date": pa.date32(), "void": pa.null(),
        "timestamp": pa.timestamp("us", "UTC"), "timestamp_ntz": pa.timestamp("us"),
    }  # fmt: skip
    if word in known:
        return known[word]
    digits = re.fullmatch(r"decimal\((\d+),(\d+)\)", word)
    if digits:
        return pa.decimal128(int(digits[1]), int(digits[2]))
    if word.startswith(("char(", "varchar(", "string collate")):
        return pa.string()
    return pa.duration("us") if word.startswith("interval day") else pa.binary()


def quoted(name: str) -> str:
    """Return the name of a column as Spark's SQL wants it.

    >>> quoted("a.b")
    '`a.b`'
    """
    return f"`{name.replace('`', '``')}`"
