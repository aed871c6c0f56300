# SPDX-License-Identifier: MIT
"""Loads a static ELF executable and builds the stack that Linux gives a new process."""

import os
import pathlib
import struct

from memory import PAGE, round_up, write

STACK_BYTES = 64 << 20
HEAP_BYTES = 1 << 30
PIE_BASE = 0x8_0000_0000
PT_LOAD, PT_INTERP, ET_DYN, EM_X86_64 = 1, 3, 3, 62
AUXILIARY_NUMBERS = {
    "PHDR": 3, "PHENT": 4, "PHNUM": 5, "PAGESZ": 6, "ENTRY": 9, "UID": 11, "EUID": 12, "GID": 13, "EGID": 14, "PLATFORM": 15,
    "HWCAP": 16, "CLKTCK": 17, "SECURE": 23, "RANDOM": 25, "EXECFN": 31,
}  # fmt: skip


class Program:
    """A loaded program: its entry point, initial stack pointer and heap start."""

    def __init__(self, memory, path, arguments, environment):
        image = pathlib.Path(path).read_bytes()
        if image[:5] != b"\x7fELF\x02" or struct.unpack_from("<H", image, 18)[0] != EM_X86_64:
            raise ValueError(f"{path}: expected an x86-64 ELF executable")
        kind, entry, header_offset = struct.unpack_from("<H6xQQ", image, 16)
        header_size, header_count = struct.unpack_from("<HH", image, 54)
        base = PIE_BASE if kind == ET_DYN else 0
        headers = [
            struct.unpack_from("<II6Q", image, header_offset + i * header_size)
            for i in range(header_count)
        ]
        if any(header[0] == PT_INTERP for header in headers):
            raise ValueError(f"{path}: expected a static executable (link with -static)")
        segments = [header for header in headers if header[0] == PT_LOAD]
        low = min(segment[3] for segment in segments) // PAGE * PAGE
        high = round_up(max(segment[3] + segment[6] for segment in segments))
        memory.map(high - low + HEAP_BYTES, at=base + low)
        for _, _, offset, address, _, file_size, _, _ in segments:
            write(base + address, image[offset : offset + file_size])
        self.entry = base + entry
        self.heap, self.heap_end = base + high, base + high + HEAP_BYTES
        first = segments[0]
        auxiliary = {
            "PHDR": base + first[3] - first[2] + header_offset,
            "PHENT": header_size,
            "PHNUM": header_count,
            "PAGESZ": PAGE,
            "ENTRY": self.entry,
            "UID": os.getuid(),
            "EUID": os.geteuid(),
            "GID": os.getgid(),
            "EGID": os.getegid(),
            "HWCAP": 0,
            "CLKTCK": 100,
            "SECURE": 0,
        }
        self.stack = self._build_stack(memory, path, [path, *arguments], environment, auxiliary)

    @staticmethod
    def _build_stack(memory, path, arguments, environment, auxiliary):
        top = memory.map(STACK_BYTES) + STACK_BYTES

        def push(data):
            nonlocal top
            top -= len(data)
            write(top, data)
            return top

        def push_strings(texts):
            return [push(os.fsencode(text) + b"\0") for text in texts]

        auxiliary["EXECFN"] = push(os.fsencode(path) + b"\0")
        auxiliary["PLATFORM"] = push(b"x86_64\0")
        auxiliary["RANDOM"] = push(os.urandom(16))
        argument_pointers = push_strings(arguments)
        environment_pointers = push_strings(
            f"{name}={value}" for name, value in environment.items()
        )
        words = [len(arguments), *argument_pointers, 0, *environment_pointers, 0]
        for name, value in auxiliary.items():
            words += [AUXILIARY_NUMBERS[name], value]
        words += [0, 0]
        top = (top - 8 * len(words)) // 64 * 64
        write(top, struct.pack(f"<{len(words)}Q", *words))
        return top
