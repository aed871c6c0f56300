# SPDX-License-Identifier: MIT
"""Memory of the emulated program: host pages seen by the guest at the very same addresses."""

import bisect
import ctypes
import mmap

PAGE = 4096
ARENA = 0x10_0000_0000  # where anonymous mappings go; all guest addresses stay below 512 GiB
U64 = 0xFFFFFFFFFFFFFFFF
READ_WRITE = mmap.PROT_READ | mmap.PROT_WRITE
MAP_FIXED_NOREPLACE, MAP_NORESERVE = 0x100000, 0x4000

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.syscall.restype = ctypes.c_long
libc.strdup.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]


def round_up(value, unit=PAGE):
    return -(-value // unit) * unit


class Memory:
    """Guest address, guest-physical address and host address are one number.

    So a system call can be handed to the host with its pointers as they are, and one page table
    of 1 GiB pages serves every program.
    """

    def __init__(self):
        self._starts, self._ends = [], []
        self._next = ARENA

    def map(self, length, *, at=None, protection=READ_WRITE, file=-1, offset=0):
        """Map zeroed memory (or a file) and return its address."""
        length = round_up(length)
        address = self._next if at is None else at
        flags = mmap.MAP_PRIVATE | MAP_FIXED_NOREPLACE | MAP_NORESERVE
        if file < 0:
            flags |= mmap.MAP_ANONYMOUS
        got = libc.mmap(address, length, protection, flags, file, offset)
        if got != address:
            raise MemoryError(f"cannot map {length} bytes at {address:#x}")
        if at is None:
            self._next = address + length + PAGE  # an unmapped page between neighbours
        index = bisect.bisect(self._starts, address)
        self._starts.insert(index, address)
        self._ends.insert(index, address + length)
        return address

    def unmap(self, address, length):
        """Remove the pages of [address, address + length) from every mapping."""
        end = address + round_up(length)
        kept = []
        for low, high in zip(self._starts, self._ends, strict=True):
            if high <= address or low >= end:
                kept.append((low, high))
                continue
            kept += [(a, b) for a, b in ((low, address), (end, high)) if a < b]
        libc.munmap(ctypes.c_void_p(address), ctypes.c_size_t(end - address))
        self._starts, self._ends = [a for a, _ in kept], [b for _, b in kept]

    def is_mapped(self, address):
        index = bisect.bisect(self._starts, address) - 1
        return index >= 0 and address < self._ends[index]


def write(address, data):
    ctypes.memmove(address, bytes(data), len(data))


def read_u32(address):
    return ctypes.c_uint32.from_address(address).value


def write_u32(address, value):
    ctypes.c_uint32.from_address(address).value = value & 0xFFFFFFFF
