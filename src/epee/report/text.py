"""A card on a terminal: the answer, the sections, tables that fit the width; pictures are left to the page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from epee.report import board
from epee.report.contents import Code, Page, Pictures, Remark, Table, Words, page_of

FOLDED = 28  # characters beyond which a cell may be folded
GAP = 3  # characters between two columns


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
                for part in parted(block, console.width):
                    console.print(rich_table(part))
                if block.caption:
                    console.print(Text(safe(block.caption), style="dim"))
        console.print()


def parted(block: Table, width: int) -> list[Table]:
    """Return a table as several that fit a width, each with the first column, where it is too wide for one.

    Cells of some words may be folded; figures, names and intervals may not.
    """
    need = [
        max(min(len(safe(cell)), FOLDED) for cell in column) for column in zip(block.head, *block.rows, strict=True)
    ]
    groups: list[list[int]] = [[]]
    room = width - need[0] - GAP
    for j in range(1, len(need)):
        if groups[-1] and need[j] + GAP > room:
            groups.append([])
            room = width - need[0] - GAP
        groups[-1].append(j)
        room -= need[j] + GAP
    if len(groups) == 1:
        return [block]
    parts = []
    for i, group in enumerate(groups):
        own = [0, *group]
        rows = [[row[j] for j in own] for row in block.rows]
        right = tuple(k for k, j in enumerate(own) if j in block.right)
        last = i == len(groups) - 1
        parts.append(
            replace(
                block, head=[block.head[j] for j in own], rows=rows, right=right, caption=block.caption if last else ""
            )
        )
    return parts


def rich_table(block: Table) -> Any:
    """Return a table for a Rich console."""
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    table = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, expand=False)
    for j, name in enumerate(block.head):
        own = [safe(name), *(safe(row[j]) for row in block.rows)]
        short = max(map(len, own)) <= FOLDED
        table.add_column(own[0], justify="right" if j in block.right else "left", overflow="fold", no_wrap=short)
    for i, row in enumerate(block.rows):
        table.add_row(*(Text(safe(cell)) for cell in row), style="bold" if i in block.marked else "")
    return table


def text_of(card: dict[str, Any], width: int = 110) -> str:
    """Return the report of a card as plain text."""
    return board.printed(show, card, width)
