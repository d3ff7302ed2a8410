"""What the libraries of arrays on a device do each in its own way: find the device, send rows to it, and tell when it is full.

Rows travel through page-locked buffers, in which the card reads by itself, on a stream of their own: while one block is multiplied,
the next one is on its way and the one after it is copied into a buffer by threads of ours. Rows that lie in page-locked memory already
travel from where they are.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from typing import Any, Protocol

import numpy as np

from epee.errors import WrongUse
from epee.settings import options
from epee.table.block import Block

BUFFERS = 3  # one is filled, one is on its way, one is waited for


class Library(Protocol):
    """A library of arrays on a device."""

    name: str

    def free(self) -> int:
        """Return how many bytes the device has left."""

    def send(self, a: np.ndarray) -> Any:
        """Return an array on the device."""

    def lane(self) -> Callable[[np.ndarray], Callable[[], Any]]:
        """Return a function that sets an array on its way by a buffer of its own, and returns one that waits for it."""


class WithTorch:
    """PyTorch."""

    name = "torch"

    def __init__(self) -> None:
        import torch

        with warnings.catch_warnings():  # what it warns of is said by the error
            warnings.simplefilter("ignore")
            there = torch.cuda.is_available()
        if not there:
            raise RuntimeError("PyTorch finds no CUDA device")
        self.torch = torch

    def free(self) -> int:
        """Return how many bytes the device has left."""
        spare = self.torch.cuda.memory_reserved() - self.torch.cuda.memory_allocated()
        return int(self.torch.cuda.mem_get_info()[0]) + int(spare)

    def send(self, a: np.ndarray) -> Any:
        """Return an array on the device."""
        return self.torch.tensor(np.ascontiguousarray(a), device="cuda")

    def lane(self) -> Callable[[np.ndarray], Callable[[], Any]]:
        """Return a function that sets an array on its way by a buffer of its own, and returns one that waits for it."""
        torch = self.torch
        stream, room, done = torch.cuda.Stream(), [torch.empty(0, dtype=torch.uint8)], [torch.cuda.Event()]

        def start(a: np.ndarray) -> Callable[[], Any]:
            done[0].synchronize()  # the buffer is free again
            host = torch.from_numpy(a) if a.flags.c_contiguous and a.flags.writeable else None
            if host is None or not host.is_pinned():
                if room[0].numel() < a.nbytes:
                    room[0] = torch.empty(a.nbytes, dtype=torch.uint8, pin_memory=True)
                host = room[0][: a.nbytes].view(getattr(torch, a.dtype.name)).reshape(a.shape)
                fill(host.numpy(), a)
            with torch.cuda.stream(stream):
                there = host.to("cuda", non_blocking=True)
                done[0].record(stream)
            event = done[0]

            def arrived() -> Any:
                torch.cuda.current_stream().wait_event(event)
                there.record_stream(torch.cuda.current_stream())
                return there

            return arrived

        return start


class WithCuPy:
    """CuPy."""

    name = "cupy"

    def __init__(self) -> None:
        import cupy

        cupy.cuda.runtime.getDeviceCount()  # fails without a driver, or with one that is too old
        self.cupy = cupy

    def free(self) -> int:
        """Return how many bytes the device has left."""
        return int(self.cupy.cuda.runtime.memGetInfo()[0]) + int(self.cupy.get_default_memory_pool().free_bytes())

    def send(self, a: np.ndarray) -> Any:
        """Return an array on the device."""
        return self.cupy.asarray(a, order="C")

    def lane(self) -> Callable[[np.ndarray], Callable[[], Any]]:
        """Return a function that sets an array on its way by a buffer of its own, and returns one that waits for it."""
        import cupyx

        cupy = self.cupy
        stream, room, done = cupy.cuda.Stream(non_blocking=True), [np.empty(0, np.uint8)], [cupy.cuda.Event()]

        def start(a: np.ndarray) -> Callable[[], Any]:
            done[0].synchronize()
            host = a if a.flags.c_contiguous and self._is_pinned(a) else None
            if host is None:
                if room[0].size < a.nbytes:
                    room[0] = cupyx.empty_pinned((a.nbytes,), np.uint8)
                host = room[0][: a.nbytes].view(a.dtype).reshape(a.shape)
                fill(host, a)
            there = cupy.empty(a.shape, a.dtype)
            free = cupy.cuda.get_current_stream().record()  # the memory may still be read by what was asked before
            stream.wait_event(free)
            there.set(host, stream=stream)
            done[0].record(stream)
            event = done[0]

            def arrived() -> Any:
                cupy.cuda.get_current_stream().wait_event(event)
                return there

            return arrived

        return start

    def _is_pinned(self, a: np.ndarray) -> bool:
        try:
            kind = self.cupy.cuda.runtime.pointerGetAttributes(a.ctypes.data).type
        except self.cupy.cuda.runtime.CUDARuntimeError:
            return False
        return bool(kind == 1)  # cudaMemoryTypeHost


def find_library() -> Library:
    """Return CuPy or PyTorch, whichever is there and finds a device, or say why neither does."""
    reasons: list[str] = []
    known: list[Any] = [WithCuPy, WithTorch]
    for make in sorted(
        known, key=lambda library: library.name not in sys.modules
    ):  # first what the program uses already
        try:
            library: Library = make()
            return library
        except ImportError:
            reasons.append(f"{make.name} is not installed")
        except Exception as fault:  # noqa: BLE001 - drivers fail in many ways, and all of them mean the same here
            reasons.append(f"{make.name}: {str(fault).strip().splitlines()[0] if str(fault).strip() else fault!r}")
    raise WrongUse(
        f"no CUDA device can be used ({'; '.join(reasons)}): install the driver and pip install 'epee[cuda]', or use the CPU "
        "with engine('local')."
    )


def is_full(fault: BaseException) -> bool:
    """Tell whether a fault means that the device has no memory left."""
    name, words = type(fault).__name__, str(fault)
    return name == "OutOfMemoryError" or "RESOURCE_EXHAUSTED" in words or "out of memory" in words.lower()


def fill(out: np.ndarray, a: np.ndarray) -> None:
    """Copy rows by threads: one alone copies slower than the card reads."""
    threads = options.thread_count()
    if a.nbytes < 1 << 22 or threads == 1:
        np.copyto(out, a)
        return
    step = -(-len(a) // threads)
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda i: np.copyto(out[i : i + step], a[i : i + step]), range(0, len(a), step)))


def travelling(library: Library, blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield blocks on the device, each sent while those before it are worked on."""
    lanes = cycle([library.lane() for _ in range(BUFFERS)])
    source = iter(blocks)

    def sent() -> tuple[Block, Callable[[], Any]] | None:
        block = next(source, None)
        return None if block is None else (block, next(lanes)(np.asarray(block.X)))

    with ThreadPoolExecutor(1) as pool:
        waiting = [pool.submit(sent) for _ in range(BUFFERS - 1)]
        while waiting:
            found = waiting.pop(0).result()
            if found is None:
                return
            waiting.append(pool.submit(sent))
            block, arrived = found
            yield block.having(X=arrived(), **_beside(library, block))


def _beside(library: Library, block: Block) -> dict[str, Any]:
    parts = {name: getattr(block, name) for name in ("y", "weight", "fold", "group")}
    return {name: library.send(np.asarray(a)) for name, a in parts.items() if a is not None and a.dtype.kind in "fiub"}
