# SPDX-License-Identifier: MIT
"""Threads of the emulated program: one has the core, the others are ready or wait for a futex."""

import collections
import ctypes
import errno
import os
import time

import memory as guest

CLONE_VM, CLONE_SETTLS, CLONE_PARENT_SETTID = 1 << 8, 1 << 19, 1 << 20
CLONE_CHILD_CLEARTID, CLONE_CHILD_SETTID = 1 << 21, 1 << 24
FUTEX_WAIT, FUTEX_WAKE, FUTEX_REQUEUE, FUTEX_CMP_REQUEUE = 0, 1, 3, 4
FUTEX_WAIT_BITSET, FUTEX_WAKE_BITSET, FUTEX_CLOCK_REALTIME = 9, 10, 256
EVERYONE = 0x7FFFFFFF


class Thread:
    """A guest thread; `state` holds its registers while another one has the core."""

    def __init__(self, identity, clear_on_exit=0):
        self.identity, self.clear_on_exit = identity, clear_on_exit
        self.state = self.waits_on = self.deadline = None


def seconds(timespec):
    whole = ctypes.c_int64.from_address(timespec).value
    return whole + ctypes.c_int64.from_address(timespec + 8).value * 1e-9


class Scheduler:
    """Switches threads when one waits, yields, sleeps, ends or executes PAUSE.

    The calls return what the system call returns, or None when another thread got the core.
    """

    def __init__(self, machine):
        self._machine = machine
        self.current = Thread(os.getpid())
        self._next_identity = os.getpid() + 1
        self._ready, self._waiting = collections.deque(), []

    @property
    def is_alone(self):
        return not self._ready and not self._waiting

    def clone(self, flags, stack, parent_tid, child_tid, tls):
        if not flags & CLONE_VM:
            return -errno.ENOSYS
        child = Thread(self._next_identity, child_tid if flags & CLONE_CHILD_CLEARTID else 0)
        self._next_identity += 1
        child.state = self._machine.state()
        child.state.rsp, child.state.rax = stack, 0
        if flags & CLONE_SETTLS:
            child.state.fs = self._machine.data_segment(tls)
        for flag, address in ((CLONE_PARENT_SETTID, parent_tid), (CLONE_CHILD_SETTID, child_tid)):
            if flags & flag:
                guest.write_u32(address, child.identity)
        self._ready.append(child)
        return child.identity

    def end(self):
        if self.current.clear_on_exit:
            guest.write_u32(self.current.clear_on_exit, 0)
            self._wake(self.current.clear_on_exit, 1)
        self._run_next()

    def let_others_run(self):
        """Tell whether another thread got the core."""
        if self._ready:
            self._ready.append(self._suspended(self._machine.cpu.rax))
            self._run_next()
            return True
        return False

    def sleep(self, request):
        return self._wait(None, time.monotonic() + seconds(request), 0)

    def futex(self, address, operation, value, timeout):
        command = operation & 0x7F
        if command in (FUTEX_WAKE, FUTEX_WAKE_BITSET):
            return self._wake(address, value & EVERYONE)
        if command in (FUTEX_REQUEUE, FUTEX_CMP_REQUEUE):
            return self._wake(address, EVERYONE)
        if command not in (FUTEX_WAIT, FUTEX_WAIT_BITSET):
            return -errno.ENOSYS
        if guest.read_u32(address) != value & 0xFFFFFFFF:
            return -errno.EAGAIN
        if not timeout:
            return self._wait(address, None, 0)
        clock = time.time if operation & FUTEX_CLOCK_REALTIME else time.monotonic
        elapsed = 0 if command == FUTEX_WAIT else clock()  # the bitset form has an absolute time
        deadline = time.monotonic() + seconds(timeout) - elapsed
        return self._wait(address, deadline, -errno.ETIMEDOUT)

    def _wait(self, address, deadline, result_of_timeout):
        thread = self._suspended(result_of_timeout)
        thread.waits_on, thread.deadline = address, deadline
        self._waiting.append(thread)
        self._run_next()

    def _wake(self, address, count):
        woken = [thread for thread in self._waiting if thread.waits_on == address][:count]
        for thread in woken:
            self._waiting.remove(thread)
            thread.state.rax = 0
        self._ready.extend(woken)
        return len(woken)

    def _suspended(self, result):
        self.current.state = self._machine.state()
        self.current.state.rax = result & guest.U64
        return self.current

    def _run_next(self):
        while not self._ready:
            timed = [thread for thread in self._waiting if thread.deadline is not None]
            if not timed:
                self._machine.on_fault("deadlock: every thread waits", 6)
            first = min(timed, key=lambda thread: thread.deadline)
            time.sleep(max(0.0, first.deadline - time.monotonic()))
            self._waiting.remove(first)
            self._ready.append(first)
        self.current = self._ready.popleft()
        self._machine.switch_to(self.current.state)
