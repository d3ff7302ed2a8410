"""ARFF, the format of Weka and OpenML, streamed line by line.

A header names the attributes and their types (``numeric``, ``string``, ``date`` or the levels of a category in braces), then follow
rows of cells between commas, ``?`` where one is missing, or sparse rows ``{index value, ...}`` of what is not zero.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NoReturn

from epee.errors import BadFile
from epee.table.filebatches import FileBatches
from epee.table.sniff import find_encoding

if TYPE_CHECKING:
    import pyarrow as pa

_CELL = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,'"]*?))\s*(?:,|$)""")
_ATTRIBUTE = re.compile(
    r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\S+?))\s*(\{.*\}|\s\S.*)$""", re.IGNORECASE
)
_JAVA = (("yyyy", "%Y"), ("yy", "%y"), ("MM", "%m"), ("dd", "%d"), ("HH", "%H"), ("mm", "%M"), ("ss", "%S"), ("'", ""))
_WORDS = {"true": True, "false": False}


class ArffFile(FileBatches):
    """One ARFF file."""

    what = "ARFF file"
    faults = (UnicodeDecodeError,)

    def _lines(self) -> Iterator[tuple[int, str]]:
        """Yield the lines that say something, with their numbers."""
        with open(self.path, "rb") as f:
            head = f.read(1 << 16)
        encoding, _ = find_encoding(head, len(head) < 1 << 16)
        with open(self.path, encoding=encoding) as file:
            for k, line in enumerate(file, 1):
                line = line.strip()
                if line and not line.startswith("%"):
                    yield k, line

    def _look(self) -> None:
        import pyarrow as pa

        fields, self._read = [], []
        self.kinds, kinds = {}, {}
        for k, line in self._lines():
            word = line.split(None, 1)[0].lower()
            if word == "@data":
                break
            if word != "@attribute":
                continue
            found = _ATTRIBUTE.match(line)
            if found is None:
                raise BadFile(f"{self.label}, line {k}: {line[:60]!r} is not an attribute: @attribute name type.")
            name = _plain(found.group(1) or found.group(2) or found.group(3))
            t, read = self._type(found.group(4).strip(), name, k)
            fields.append(pa.field(name, t))
            self._read.append(read)
            if isinstance(read, dict) and pa.types.is_string(t):
                kinds[name] = "category"
        else:
            raise BadFile(f"{self.label} is a truncated ARFF file: it has no @data. Fetch or write the file again.")
        self.fields, self.kinds = pa.schema(fields), kinds

    def _type(self, said: str, name: str, k: int) -> tuple[Any, Any]:
        """Return the Arrow type of an attribute, and how to read its cells: a function, or the levels."""
        import pyarrow as pa

        word = said.split(None, 1)[0].lower()
        if said.startswith("{"):
            levels = [_plain(cell) for cell in _cells(said[1:-1])]
            if {level.lower() for level in levels} <= set(_WORDS):
                return pa.bool_(), {level: _WORDS[level.lower()] for level in levels}
            return pa.string(), {level: level for level in levels}
        if word in ("numeric", "real", "integer"):
            return pa.float64(), float
        if word == "string":
            return pa.string(), str
        if word == "date":
            pattern = said.split(None, 1)[1].strip("\"'") if " " in said else "yyyy-MM-dd'T'HH:mm:ss"
            for java, python in _JAVA:
                pattern = pattern.replace(java, python)
            return pa.timestamp("us"), lambda cell: datetime.datetime.strptime(cell, pattern)
        raise BadFile(
            f"{self.label}, line {k}: attribute {name!r} is of the type {said!r}; numeric, string, date or levels are read."
        )

    def _batches(self, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        lines = self._lines()
        for _, line in lines:
            if line.lower().startswith("@data"):
                break
        places = [self.fields.get_field_index(name) for name in columns]
        while some := [(k, self._row(k, line)) for k, line in islice(lines, rows)]:
            arrays = [
                pa.array([self._value(k, j, row[j]) for k, row in some], self.fields.field(j).type) for j in places
            ]
            yield pa.RecordBatch.from_arrays(arrays, names=list(columns))

    def _row(self, k: int, line: str) -> list[str | None]:
        """Return the cells of a line as texts, None where missing."""
        p = len(self._read)
        if line.startswith("{"):
            zero = [next(iter(read)) if isinstance(read, dict) else "0" for read in self._read]
            row: list[str | None] = [*zero]
            for cell in _cells(line.strip("{}")) if line.strip("{} ") else ():
                place, _, value = (cell or "").strip().partition(" ")
                if not place.isdigit() or int(place) >= p:
                    self._refuse(k, f"{cell!r} is not an index below {p} and a value")
                row[int(place)] = None if value.strip() == "?" else _plain(value.strip().strip("'\""))
            return row
        cells = line.split(",") if "'" not in line and '"' not in line else _cells(line)
        if len(cells) != p:
            self._refuse(k, f"{len(cells)} cell{'s' if len(cells) > 1 else ''}, but {p} attributes")
        return [None if cell is None or cell.strip() == "?" else cell.strip() for cell in cells]

    def _value(self, k: int, j: int, cell: str | None) -> Any:
        """Return the value of a cell, or name it."""
        read = self._read[j]
        if cell is None:
            return None
        try:
            return read[cell] if isinstance(read, dict) else read(cell)
        except (KeyError, ValueError):
            wanted = "one of its levels" if isinstance(read, dict) else "a number" if read is float else "a date"
            self._refuse(k, f"column {self.fields.names[j]!r}: {cell!r} is not {wanted}")

    def _refuse(self, k: int, words: str) -> NoReturn:
        raise BadFile(f"{self.label}, line {k}: {words}. Correct the line.")


def _cells(line: str) -> list[str | None]:
    """Return the cells of a line, their quotes taken off; an unquoted ``?`` is None.

    >>> _cells("1, 'a, b', ?, '?'")
    ['1', 'a, b', None, '?']
    """
    cells: list[str | None] = []
    at = 0
    while at <= len(line):
        found = _CELL.match(line, at)
        if found is None:
            return [*cells, line[at:]]
        single, double, bare = found.groups()
        quoted = single if single is not None else double
        cells.append(_plain(quoted) if quoted is not None else None if bare == "?" else bare)
        if found.end() == len(line) and not found.group().endswith(","):
            break
        at = found.end()
    return cells


def _plain(text: str | None) -> str:
    r"""Return a text without its escapes: ``\'`` is a quote."""
    return re.sub(r"\\(.)", r"\1", text or "")
