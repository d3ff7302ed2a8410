"""The one door between a loop and its compiler.

A function under :func:`kernel` is plain Python until it is called; then, in this order,

1. its twin in NumPy answers, where it has one and says that the work is ``small``: by the size of the arguments alone
   (:data:`FEW_CELLS`), so that the same table takes the same road whatever was compiled before;
2. where both roads give the same bits, numba is not loaded, and the work is ``brief``, the twin answers, too, for some tenths of a
   second in all: as long as loading numba would take;
3. machine code made earlier is loaded: on this machine, or ahead of time and carried by the package (:mod:`epee.kernels.store`);
4. where both roads give the same bits and the work is bearable, the twin answers ``meanwhile``: a helper process compiles
   (:mod:`epee.kernels.background`), and what came of it is loaded at the first call after;
5. numba compiles it on the spot, which is said once, and what came of it is kept for the next time where a folder may be written.

Nothing above this room knows which of the five it was. Modules of kernels import without numba.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from functools import cache, update_wrapper
from importlib import import_module
from threading import RLock, local
from time import perf_counter
from typing import Any, overload

import numpy as np

from epee.kernels.background import there

FEW_CELLS = (
    6_000  # numbers in a table (rows times columns) for which NumPy, or Python itself, is quicker than meeting numba
)
FEW_ROWS = 2_000  # of a table for which no one waits for a compiler
BEARABLE = (
    100_000  # numbers in a table that Python itself goes through once, in a tenth of a second, while a loop is compiled
)
SPARED = 0.3  # seconds that the twin of a kernel answers in place of loading numba
_lock = RLock()


class _Here(local):
    plain = False  # whether Python itself runs a loop in this thread


_here = _Here()
_clock: dict[str, Any] = {"numba": 0.0, "loading": 0.0, "listener": None}
called: Callable[[Kernel, tuple[Any, ...]], None] | None = None  # told of every call, while someone takes notes


class NotYet(Exception):
    """What a dispatcher says of arguments whose code a helper is compiling: the twin answers."""


class Kernel:
    """A loop that is compiled when it is first called, for the types of its arguments."""

    __qualname__: str

    def __init__(
        self, function: Callable[..., Any], twin: Callable[..., Any] | None, small: Callable[..., bool] | None,
        options: dict[str, Any], meanwhile: Callable[..., bool] | None = None, brief: Callable[..., bool] | None = None,
    ) -> None:  # fmt: skip
        update_wrapper(self, function)
        self.py_func = function
        self.twin = twin
        self.small = small
        self.meanwhile = meanwhile
        self.brief = brief
        self.options = options
        self.known: set[tuple[Any, ...]] = set()  # kinds of arguments for which its code is there
        self.spelt: dict[
            tuple[Any, ...], tuple[str, str]
        ] = {}  # by kind of arguments: its key, and their types in words
        self.waited = 0.0  # seconds that its twin worked because it was not there
        self._compiled: Any = None

    @property
    def key(self) -> str:
        """Its name among all kernels: module and function, with the arguments of the function that made it if there is one."""
        place = f"{self.__module__.rpartition('.')[2]}.{self.__qualname__.partition('.<locals>')[0]}"
        values = {
            name: cell.cell_contents
            for name, cell in zip(self.py_func.__code__.co_freevars, self.py_func.__closure__ or ())
        }
        said = ", ".join(f"{name}={v!r}" for name, v in sorted(values.items()) if not isinstance(v, Kernel))
        return f"{place}({said})" if values else place

    @property
    def compiled(self) -> Any:
        """What numba makes of it: a dispatcher, which holds the machine code for each signature seen."""
        if self._compiled is None:
            with _lock:
                if self._compiled is None:
                    self._compiled = _jit(self)
        return self._compiled

    @property
    def _numba_type_(self) -> Any:  # numba asks this of a name that another kernel calls
        return self.compiled._numba_type_

    @property
    def targetoptions(self) -> Any:  # and this, to put it in line
        return self.compiled.targetoptions

    def __call__(self, *arguments: Any) -> Any:
        """Run it."""
        if called is not None:
            called(self, arguments)
        if _here.plain:  # a loop that Python runs calls it
            return (self.twin or self.py_func)(*arguments)
        if self.small is not None and self.small(*arguments):
            return self.plainly(*arguments)
        if self.brief is not None and self._spares(arguments):
            return self._while_compiling(*arguments)
        if self._compiled is None and self._later(arguments):
            return self._while_compiling(*arguments)
        try:
            return (self._compiled or self.compiled)(*arguments)
        except NotYet:
            return self._while_compiling(*arguments)

    def _later(self, arguments: tuple[Any, ...]) -> bool:
        """Tell whether the code for these arguments is to be made beside the work, and is not there yet."""
        return self.meanwhile is not None and self.meanwhile(*arguments) and not there(self, arguments)

    def _spares(self, arguments: tuple[Any, ...]) -> bool:
        """Tell whether the work is brief, and nobody needed numba yet."""
        return "numba" not in sys.modules and self.waited < SPARED and bool(self.brief and self.brief(*arguments))

    def _while_compiling(self, *arguments: Any) -> Any:
        start = perf_counter()
        try:
            return self.plainly(*arguments)
        finally:
            self.waited += perf_counter() - start

    def plainly(self, *arguments: Any) -> Any:
        """Run its twin, or without one the function as it is written."""
        try:
            _here.plain = True
            with np.errstate(all="ignore"):  # as in the loops: who calls them looks at what came of it
                return (self.twin or self.py_func)(*arguments)
        finally:
            _here.plain = False

    def __reduce__(self) -> str:
        return self.__qualname__

    def __repr__(self) -> str:
        return f"<kernel {self.key}>"


@overload
def kernel(function: Callable[..., Any], /) -> Kernel: ...
@overload
def kernel(
    *, twin: Callable[..., Any] | None = None, small: Callable[..., bool] | None = None,
    meanwhile: Callable[..., bool] | None = None, brief: Callable[..., bool] | None = None, **options: Any,
) -> Callable[[Callable[..., Any]], Kernel]: ...  # fmt: skip
def kernel(
    function: Callable[..., Any] | None = None,
    /,
    *,
    twin: Callable[..., Any] | None = None,
    small: Callable[..., bool] | None = None,
    meanwhile: Callable[..., bool] | None = None,
    brief: Callable[..., bool] | None = None,
    **options: Any,
) -> Any:
    """Make a loop a kernel.

    ``small(*arguments)`` tells whether the work is too little to meet a compiler for: then ``twin``, or without one the function as
    it is written, answers. It looks at sizes, never at what is compiled. ``meanwhile(*arguments)`` tells whether it may answer while a
    helper compiles, which asks for the same bits and for work of no more than some seconds; ``brief(*arguments)`` whether it may so that
    numba need not be loaded, for the same bits and some hundredths of a second. The other options are numba's
    (``fastmath``, ``inline``); Python's lock is always let go.
    """
    if function is not None:
        return Kernel(function, None, None, {})
    return lambda f: Kernel(f, twin, small, options, meanwhile, brief)


def bearable(first: Any, *others: Any) -> bool:
    """Tell whether the first argument is a table that Python itself may go through while the loop is compiled."""
    return bool(first.size <= BEARABLE)


def spent() -> dict[str, float]:
    """Return the seconds that this process spent so far importing numba, compiling, and loading what was compiled before."""
    listener = _clock["listener"]
    return {
        "numba": _clock["numba"],
        "compiling": listener.duration if listener is not None and listener.done else 0.0,
        "loading": _clock["loading"],
    }


def ready(kernel: Kernel) -> bool:
    """Tell whether a kernel can be called without a compiler: it was called before, or its code lies in a file."""
    from epee.kernels.store import holds

    return holds(kernel)


def loaded(seconds: float) -> None:
    """Count the seconds of a load."""
    _clock["loading"] += seconds


def named(key: str) -> Kernel:
    """Return the kernel of that key."""
    module, _, name = key.partition(".")
    maker, _, values = name.partition("(")
    found = getattr(import_module(f"epee.kernels.{module}"), maker)
    if not values:
        return found
    pairs = (pair.split("=") for pair in values.rstrip(")").split(", "))
    return found(**{name: int(v) for name, v in pairs})


@cache
def _say_once() -> None:
    """Say that a compiler is waited for, the first time that it is; a helper, and whoever asked for nothing else, says nothing."""
    from epee.kernels import store
    from epee.settings import announce

    if store.kept is None:
        announce("compiling for this machine: some seconds, once")


def _helped(kernel: Kernel, arguments: tuple[Any, ...]) -> bool:
    """Wait for the helper where it is compiling this very code now; tell whether it did."""
    from epee.kernels import background
    from epee.kernels.catalogue import spelt

    if background.helper.begun is None:
        return False
    try:
        return background.helper.wait(kernel.key, json.dumps([spelt(a) for a in arguments]))
    except TypeError:
        return False


def _jit(kernel: Kernel) -> Any:
    start = perf_counter()
    first = "numba" not in sys.modules
    from numba import njit

    if first:
        _clock["numba"] += perf_counter() - start
    if _clock["listener"] is None:
        from numba.core import event

        _clock["listener"] = event.TimingListener()
        event.register("numba:compile", _clock["listener"])
    made = njit(nogil=True, **kernel.options)(kernel.py_func)
    if not hasattr(made, "overloads"):  # numba is switched off
        return made
    from numba.core.compiler_lock import global_compiler_lock

    from epee.kernels.store import Store

    made._cache = Store(kernel)
    on_the_spot = made._compile_for_args

    def for_new_types(*arguments: Any, **others: Any) -> Any:
        """Return the machine code for the types of a call; what is stored is loaded before the half of numba that compiles is."""
        with global_compiler_lock:
            types = tuple(made.typeof_pyval(a) for a in arguments)
            ready = made.overloads.get(types)
            if ready is None and kernel._later(arguments):
                made._types_active_call.clear()
                raise NotYet
            ready = ready or made._cache.load_overload(types, made.targetctx)
            if ready is None and _helped(kernel, arguments):
                ready = made._cache.load_overload(types, made.targetctx)
            if ready is None:
                _say_once()
                return on_the_spot(*arguments, **others)
            if types not in made.overloads:
                made.targetctx.insert_user_function(ready.entry_point, ready.fndesc, [ready.library])
                made.add_overload(ready)
            made._types_active_call.clear()
            return ready.entry_point

    made._compile_for_args = for_new_types
    return made


if os.environ.get("EPEE_SIGNATURES"):
    from epee.kernels.catalogue import Notes

    called = Notes(os.environ["EPEE_SIGNATURES"])
