# SPDX-License-Identifier: MIT
"""The Linux that an emulated program sees: most system calls go to the host as they are."""

import ctypes
import errno
import mmap
import os

import memory as guest
from scheduler import Scheduler


def numbers(names):
    return {int(name.split(":")[1]) for name in names.split()}


# A pointer means the same on both sides, so these need no translation.
ON_HOST = numbers("""
    read:0 write:1 open:2 close:3 stat:4 fstat:5 lstat:6 poll:7 lseek:8 mprotect:10 ioctl:16
    pread64:17 pwrite64:18 readv:19 writev:20 access:21 madvise:28 dup:32 dup2:33 getpid:39
    uname:63 fcntl:72 fsync:74 ftruncate:77 getcwd:79 chdir:80 rename:82 mkdir:83 rmdir:84
    unlink:87 readlink:89 gettimeofday:96 getrlimit:97 getrusage:98 sysinfo:99 times:100
    getuid:102 getgid:104 geteuid:107 getegid:108 getppid:110 statfs:137 fstatfs:138 time:201
    sched_getaffinity:204 getdents64:217 clock_gettime:228 clock_getres:229 openat:257
    mkdirat:258 newfstatat:262 unlinkat:263 readlinkat:267 faccessat:269 dup3:292 pipe2:293
    prlimit64:302 getcpu:309 getrandom:318 statx:332
""")
# Accepted without effect: no signal is ever delivered, every thread runs on the one core.
IGNORED = numbers(
    "rt_sigaction:13 rt_sigprocmask:14 sigaltstack:131 sched_setaffinity:203 set_robust_list:273"
)
MREMAP_MAYMOVE, MAP_FIXED = 1, 0x10
ARCH_SET_GS, ARCH_SET_FS = 0x1001, 0x1002


class Linux:
    """Serves the system calls of one program on one machine."""

    def __init__(self, machine, memory, program):
        self._machine, self._memory, self._program = machine, memory, program
        self._break = program.heap
        self.scheduler = Scheduler(machine)
        self._calls = {
            9: self._mmap,
            11: self._munmap,
            12: self._brk,
            24: lambda *_: None if self.scheduler.let_others_run() else 0,  # sched_yield
            25: self._mremap,
            35: lambda request, *_: self.scheduler.sleep(request),  # nanosleep
            56: lambda *arguments: self.scheduler.clone(*arguments[:5]),
            60: self._exit,
            62: lambda _process, signal, *_: self._kill(signal),
            158: self._arch_prctl,
            186: lambda *_: self.scheduler.current.identity,  # gettid
            200: lambda _thread, signal, *_: self._kill(signal),  # tkill
            202: lambda *arguments: self.scheduler.futex(*arguments[:4]),
            218: self._set_tid_address,
            230: lambda _clock, _flags, request, *_: self.scheduler.sleep(request),
            231: lambda status, *_: self.leave(status & 0xFF),  # exit_group
            234: lambda _process, _thread, signal, *_: self._kill(signal),  # tgkill
        }

    def system_call(self):
        cpu = self._machine.cpu
        number = cpu.rax & 0xFFFFFFFF
        arguments = (cpu.rdi, cpu.rsi, cpu.rdx, cpu.r10, cpu.r8, cpu.r9)
        if number in ON_HOST:
            result = self._on_host(number, arguments)
        elif number in IGNORED:
            result = 0
        else:
            result = self._calls.get(number, lambda *_: -errno.ENOSYS)(*arguments)
        if result is not None:
            cpu.rax = result & guest.U64

    @staticmethod
    def _on_host(number, arguments):
        result = guest.libc.syscall(ctypes.c_long(number), *map(ctypes.c_uint64, arguments))
        return -ctypes.get_errno() if result == -1 else result

    def leave(self, status):
        os._exit(status)

    def _exit(self, status, *_):
        if self.scheduler.is_alone:
            self.leave(status & 0xFF)
        self.scheduler.end()

    def _kill(self, signal):
        if signal:
            self._machine.on_fault(f"the program sent itself signal {signal}", signal)
        return 0

    def _mmap(self, address, length, protection, flags, file, offset):
        at = None
        if flags & MAP_FIXED:
            self._memory.unmap(address, length)
            at = address
        file = -1 if flags & mmap.MAP_ANONYMOUS else ctypes.c_int(file & 0xFFFFFFFF).value
        try:
            return self._memory.map(length, at=at, protection=protection, file=file, offset=offset)
        except MemoryError:
            return -errno.ENOMEM

    def _munmap(self, address, length, *_):
        self._memory.unmap(address, length)
        return 0

    def _mremap(self, old, old_length, new_length, flags, *_):
        if new_length <= old_length:
            return old
        if not flags & MREMAP_MAYMOVE:
            return -errno.ENOMEM
        new = self._memory.map(new_length)
        ctypes.memmove(new, old, old_length)
        self._memory.unmap(old, old_length)
        return new

    def _brk(self, address, *_):
        if self._program.heap <= address <= self._program.heap_end:
            self._break = address
        return self._break

    def _arch_prctl(self, code, address, *_):
        if code not in (ARCH_SET_FS, ARCH_SET_GS):
            return -errno.EINVAL
        register = "fs" if code == ARCH_SET_FS else "gs"
        setattr(self._machine.cpu, register, self._machine.data_segment(address))
        return 0

    def _set_tid_address(self, address, *_):
        self.scheduler.current.clear_on_exit = address
        return self.scheduler.current.identity
