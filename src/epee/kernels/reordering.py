"""What the compiler may do to a sum."""

REORDER = {
    "reassoc",
    "contract",
    "nsz",
}  # terms in any order, so that the processor adds several at once; NaN stays NaN
