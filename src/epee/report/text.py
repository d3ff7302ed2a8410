"""A card on a terminal: the answer, the sections, tables that fit the width; pictures are left to the page."""

from __future__ import annotations

import io
from typing import Any

from epee.job import board
from epee.report.contents import Code, Page, Pictures, Remark, Table, Words, page_of


def safe(text: str) -> str:
    r"""Return a text that cannot steer the terminal, its narrow and unbreakable spaces as plain ones.

    >>> safe("5\u00a0%")
    '5 %'
    """
    return board.safe(text.replace("\u00a0", " ").replace("\u202f", " "))


def show(card: dict[str, Any], console: Any) -> None:
    """Print the report of a card on a Rich console."""
    from rich.padding import Padding
    from rich.rule import Rule
    from rich.text import Text

    page: Page = page_of(card)
    console.print(Text(safe(page.heading), style="bold"))
    console.print(Text(safe(" ".join(page.answer))))
    console.print()
    for section in page.sections:
        blocks = [block for block in section.blocks if not isinstance(block, Pictures)]
        if not blocks:
            continue
        console.print(Rule(Text(safe(section.title), style="bold"), align="left", characters="─"))
        for block in blocks:
            if isinstance(block, Words):
                console.print(Text(safe(block.text)))
            elif isinstance(block, Remark):
                console.print(
                    Text.assemble(
                        (f"{block.code} ", "bold yellow"), (f"{safe(block.title)}. ", "bold"), safe(block.text)
                    )
                )
            elif isinstance(block, Code):
                console.print(Text(safe(block.title), style="dim"))
                for line in block.text.splitlines():
                    console.print(Padding(Text(safe(line)), (0, 0, 0, 2)))
            elif isinstance(block, Table):
                console.print(_table(block))
                if block.caption:
                    console.print(Text(safe(block.caption), style="dim"))
        console.print()


def _table(block: Table) -> Any:
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    table = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, expand=False)
    for j, name in enumerate(block.head):
        table.add_column(safe(name), justify="right" if j in block.right else "left", overflow="fold")
    for i, row in enumerate(block.rows):
        table.add_row(*(Text(safe(cell)) for cell in row), style="bold" if i in block.marked else "")
    return table


def text_of(card: dict[str, Any], width: int = 110) -> str:
    """Return the report of a card as plain text."""
    from rich.console import Console

    out = io.StringIO()
    show(card, Console(file=out, width=width, color_system=None, force_terminal=False, legacy_windows=False))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"
