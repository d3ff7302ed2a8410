"""One page, one session: what it shows, its worker, its folder. It ends when its page is closed.

The page holds a stream of events open as long as it lives. When the stream ends and does not come back within some seconds (a reload
does), the page is gone: its worker is ended, whatever it does, and its folder is removed.
"""

from __future__ import annotations

import asyncio
import secrets
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from epee.workbench.board import Board
from epee.workbench.crew import Worker
from epee.workbench.question import Question

GRACE = 4.0  # seconds for a page to come back
UNSEEN = 120.0  # seconds for a new page to open its stream


@dataclass(eq=False)
class Session:
    """What one page knows; plain data that templates show."""

    lang: str
    id: str = field(default_factory=lambda: secrets.token_urlsafe(9))
    table: str | None = None  # as the command line takes it
    brought: bool = False  # it lies in the folder of the session
    card: dict[str, Any] | None = None  # of the table
    target: dict[str, Any] | None = None
    question: Question = field(default_factory=Question)
    doing: str = ""  # "learn" or "explore" while it goes on
    board: Board | None = None
    answer: dict[str, Any] | None = None  # card of the run, controls, table of confusion
    model: str | None = None  # the saved predictor that was opened, by name
    explored: dict[str, Any] | None = None
    predictions: dict[str, Any] | None = None
    trusted: bool = False  # modules may be named, and saved predictors of other libraries opened
    rows: str | None = None  # to be predicted once a saved predictor is open
    faults: dict[str, str] = field(default_factory=dict)  # part: sentence

    def __post_init__(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="epee-workbench-")
        self.listeners: set[asyncio.Queue[str]] = set()
        self.tasks: set[asyncio.Task[Any]] = set()
        self.hear: Callable[[str, Any], None] = lambda name, data: None
        self._worker: Worker | None = None
        self.closed = False

    async def ask(self, name: str, **arguments: Any) -> Any:
        """Ask the worker, which is begun with the first request, and again where it was lost."""
        if self._worker is None or not self._worker.alive:
            loop = asyncio.get_running_loop()
            # to start it may take a second, which the other pages need not wait for
            self._worker = await asyncio.to_thread(Worker, loop, self.folder, lambda name, data: self.hear(name, data))
        return await self._worker.ask(name, self.lang, arguments)

    def stop(self) -> None:
        """End the run at hand with what is done."""
        if self._worker is not None:
            self._worker.stop()

    def tell(self, text: str) -> None:
        """Send parts of the page to whoever listens."""
        for queue in self.listeners:
            queue.put_nowait(text)

    def begin(self, work: Any) -> None:
        """Let some work go on beside the answers to the page."""
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def forget_answer(self) -> None:
        """Forget what was said of another table or question."""
        self.board = self.answer = self.model = self.explored = self.predictions = None
        self.faults = {}

    async def close(self) -> None:
        """End the worker and remove the folder."""
        self.closed = True
        for task in list(self.tasks):
            task.cancel()
        if self._worker is not None:
            await asyncio.to_thread(self._worker.close)
        await asyncio.to_thread(shutil.rmtree, self.folder, True)


class Sessions:
    """All sessions of a server."""

    def __init__(self) -> None:
        self.all: dict[str, Session] = {}

    def new(self, lang: str) -> Session:
        """Return a new session, which goes away unless its page comes."""
        session = Session(lang)
        self.all[session.id] = session
        asyncio.get_running_loop().call_later(UNSEEN, self._look, session)
        return session

    def listen(self, session: Session) -> asyncio.Queue[str]:
        """Return a queue of what the session tells."""
        queue: asyncio.Queue[str] = asyncio.Queue()
        session.listeners.add(queue)
        return queue

    def leave(self, session: Session, queue: asyncio.Queue[str]) -> None:
        """Note that a page stopped to listen."""
        session.listeners.discard(queue)
        asyncio.get_running_loop().call_later(GRACE, self._look, session)

    def _look(self, session: Session) -> None:
        if not session.listeners and session.id in self.all:
            del self.all[session.id]
            self._ending = asyncio.get_running_loop().create_task(session.close())

    async def close(self) -> None:
        """End all sessions."""
        await asyncio.gather(*(session.close() for session in self.all.values()))
        self.all.clear()
