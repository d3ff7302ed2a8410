"""The bytes of a text file on their way to the parser: decompressed, checked, and in UTF-8 whatever they were.

Each chunk is decoded once. That finds the first byte that is no text (with its line), turns UTF-16 and cp1252 into UTF-8, and
looks at the quotes: a quote that opens or closes where it should not, or never closes, is remembered for a closer look.
"""

from __future__ import annotations

import codecs
import io
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

from epee.errors import BadFile

CHUNK = 1 << 20
_QUOTE = 0x22


class Undecodable(BadFile):
    """A byte that is no text in the encoding that was tried."""


def open_bytes(path: str) -> Any:
    """Open a file that may be compressed with gzip, bzip2, xz or zstandard; its first bytes tell."""
    with open(path, "rb") as f:
        head = f.read(6)
    if head[:2] == b"\x1f\x8b":
        import gzip

        return gzip.open(path, "rb")
    if head[:3] == b"BZh":
        import bz2

        return bz2.open(path, "rb")
    if head == b"\xfd7zXZ\0":
        import lzma

        return lzma.open(path, "rb")
    if head[:4] == b"\x28\xb5\x2f\xfd":
        import pyarrow as pa

        return pa.CompressedInputStream(pa.OSFile(path), "zstd")
    return open(path, "rb")


def read_some(file: BinaryIO, n: int, label: str) -> bytes:
    """Read bytes, or say that a compressed file is cut short or damaged."""
    try:
        return file.read(n)
    except EOFError:
        raise BadFile(
            f"{label} is a truncated compressed file: its end is missing. Fetch or write the file again."
        ) from None
    except (zlib.error, OSError) as fault:
        if isinstance(fault, OSError) and fault.errno is not None:
            raise
        raise BadFile(f"{label} is a damaged compressed file ({fault}). Fetch or write the file again.") from fault


class Utf8Stream(io.RawIOBase):
    """A readable stream of UTF-8 without a byte order mark.

    ``limit`` stops the stream after so many bytes, at the end of a line. ``doubtful`` tells that the quotes need a closer look.
    """

    def __init__(self, path: str, label: str, encoding: str, delimiter: str, limit: int | None = None) -> None:
        super().__init__()
        self._file = open_bytes(path)
        self._label, self._encoding, self._limit = label, encoding, limit
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._plain = encoding == "utf-8"
        self._lines = 0
        self._given = 0
        self._left = b""
        self._over = False
        self._parity = 0
        self._before = 0x0A
        self._open_end = False
        self._ends = np.zeros(256, dtype=bool)
        self._ends[[0x0A, 0x0D, _QUOTE, ord(delimiter)]] = True
        self.doubtful = False
        self.whole = False  # the end of the file was reached

    def readable(self) -> bool:
        """Tell that one can read."""
        return True

    def read(self, n: int = -1) -> bytes:
        r"""Return ``n`` bytes, fewer only at the end; never parts a line end ``\r\n``, of which Arrow would lose the half."""
        while (n < 0 or len(self._left) < n + 1) and not self._over:
            self._left += self._next()
        if n < 0 or n >= len(self._left):
            out, self._left = self._left, b""
        else:
            n -= n > 1 and self._left[n - 1 : n + 1] == b"\r\n"
            out, self._left = self._left[:n], self._left[n:]
        return out

    def whole_lines(self, n: int, most: int) -> Iterator[memoryview]:
        """Yield about ``n`` bytes at a time, cut where a row ends; no row may be longer than ``most``.

        A line end within quotes ends no row. Once quotes stand in odd places (``doubtful``) the cuts mean nothing any more.
        """
        left = b""
        while not self._over:
            parts, more = [left], n
            while (more > 0 or parts[-1].endswith(b"\r")) and not self._over:  # half of a line end is none
                if part := self._next():
                    parts.append(part)
                    more -= len(part)
            left = b"".join(parts)
            cut = len(left) if self.whole else row_end(left)
            if not cut and len(left) > most:
                raise BadFile(
                    f"{self._label}, line {self._lines + 1}: a row of more than {most >> 20} MB; is a quote never closed?"
                )
            if (cut or self.doubtful) and left:
                yield memoryview(left)[:cut]
                left = left[cut:]

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer."""
        out = self.read(len(buffer))
        buffer[: len(out)] = out
        return len(out)

    def _next(self) -> bytes:
        raw = read_some(self._file, CHUNK, self._label)
        if self._plain and raw.isascii() and not self._decoder.getstate()[0]:  # nothing to check, nor begun before
            out = raw
        else:
            try:
                text = self._decoder.decode(raw, final=not raw)
            except UnicodeDecodeError as fault:
                raise self._undecodable(raw, fault) from None
            out = raw if self._plain else text.encode("utf-8", "surrogatepass")
        if not raw:
            self._over = self.whole = True
            self._look_at_quotes(out, last=True)
            return out
        self._look_at_quotes(out, last=False)
        if self._limit is not None and self._given + len(out) >= self._limit:
            cut = max(out.rfind(b"\n"), out.rfind(b"\r")) + 1
            if cut:
                out, self._over = out[:cut], True
        self._given += len(out)
        self._lines += _line_ends(out)
        return out

    def _undecodable(self, raw: bytes, fault: UnicodeDecodeError) -> Undecodable:
        data: bytes = fault.object
        before = data[: fault.start]
        line = self._lines + 1 + _line_ends(before if self._plain or "cp" in self._encoding else before[::2])
        if not raw:
            return Undecodable(
                f"{self._label}, line {line}: the file ends in the middle of a {self._encoding} character; it is truncated."
            )
        byte = " ".join(f"0x{b:02x}" for b in data[fault.start : fault.end][:4])
        around = data[max(0, fault.start - 12) : fault.end + 12].decode(self._encoding, "replace").strip().splitlines()
        near = next((a for a in around if "\ufffd" in a), "")
        cure = (
            "Write the file again in UTF-8."
            if "1252" in self._encoding
            else ("Say encoding='cp1252' (Western Windows), or write the file again in UTF-8.")
        )
        return Undecodable(f"{self._label}, line {line}: byte {byte} in {near!r} is not {self._encoding} text. {cure}")

    def _look_at_quotes(self, out: bytes, last: bool) -> None:
        if self.doubtful:
            return
        codes = np.frombuffer(out, dtype=np.uint8)
        if self._open_end and len(codes):  # a quote that closed at the end of the chunk before
            self.doubtful = not self._ends[codes[0]]
            self._open_end = False
        places = np.flatnonzero(codes == _QUOTE) if b'"' in out else np.empty(0, dtype=np.intp)
        if len(places):
            opens = places[self._parity :: 2]
            closes = places[1 - self._parity :: 2]
            before = np.where(opens > 0, codes[opens - 1], self._before)
            after = closes[closes + 1 < len(codes)] + 1
            self._open_end = len(after) < len(closes)
            self.doubtful = bool((~self._ends[before]).any() or (~self._ends[codes[after]]).any())
            self._parity = (self._parity + len(places)) % 2
        if len(codes):
            self._before = int(codes[-1])
        if last and self._parity:
            self.doubtful = True

    def close(self) -> None:
        """Close the file."""
        if not self.closed:
            self._file.close()
        super().close()


def row_end(data: bytes) -> int:
    r"""Return where the last row ends in bytes that begin with a row, 0 where none does.

    >>> row_end(b'1,2\n3,"4\n5"'), row_end(b'1,2\n3,"4\n5"\n6')
    (4, 12)
    """
    cut = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
    if data.find(b'"', 0, cut) < 0:
        return cut
    codes = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero((codes == 0x0A) | (codes == 0x0D))
    quotes = np.flatnonzero(codes == _QUOTE)
    outside = ends[np.searchsorted(quotes, ends) % 2 == 0]
    return int(outside[-1]) + 1 if len(outside) else 0


def _line_ends(data: bytes) -> int:
    """Return how many lines end in these bytes, whichever way they end."""
    letters = np.frombuffer(data, dtype=np.uint8)
    return int(np.count_nonzero(letters == 0x0A) or np.count_nonzero(letters == 0x0D))
