"""What a report says on a terminal fits its width."""

import io

from rich.console import Console

from epee.report.contents import Table
from epee.report.text import parted, rich_table


def test_a_wide_table_is_parted_and_no_figure_is_cut():
    head = ["column", "mean", "95 % interval", "least", "most", "what it is"]
    rows = [["listing_number", "447,000", "[425,000, 470,000]", "58,212", "1,277,127", "word " * 12]] * 2
    block = Table(head, rows, (1, 3, 4), caption="below")
    for width in (150, 80, 48):
        parts = parted(block, width)
        assert [part.head[0] for part in parts] == ["column"] * len(parts)
        assert [name for part in parts for name in part.head[1:]] == head[1:]
        assert [part.caption for part in parts] == [""] * (len(parts) - 1) + ["below"]
        out = Console(width=width, file=io.StringIO(), color_system=None)
        for part in parts:
            out.print(rich_table(part))
        shown = out.file.getvalue()
        assert all(cell in shown for cell in rows[0][:-1])
    assert parted(block, 150) == [block]
