# SPDX-License-Identifier: MIT
"""The emulated CPU: bochscpu set up as Linux leaves a core that runs a 64-bit process."""

import ctypes
import struct

import memory as guest
from bochs import LIBRARY, load_bochs

USER_CODE, USER_DATA, CODE_64_BIT, DATA = 0x33, 0x2B, 0xA0FB, 0xC0F3
PAGE_TABLES = 0x7F_0000_0000  # PML4, PDPT, then the system call entry: pages that no program uses
SYSTEM_CALL_ENTRY = PAGE_TABLES + 2 * guest.PAGE
SYSRETQ = bytes.fromhex("480f07")
PRESENT_WRITE_USER, ONE_GIGABYTE = 7, 0x80
XCR0_X87_SSE_AVX_AVX512 = 0xE7
CR0_PG_WP_NE_ET_MP_PE = 0x80010033
CR4_OSXSAVE_OSXMMEXCPT_OSFXSR_PGE_PAE = 0x406A0
EFER_NXE_LMA_LME_SCE = 0xD01
SIGNALS = {
    0: (8, "division error"),
    6: (4, "illegal instruction"),
    13: (11, "protection fault (a misaligned vector access?)"),
    14: (11, "page fault"),
    16: (8, "x87 exception"),
    19: (8, "SIMD exception"),
}


class Machine:
    """One emulated core.

    Its owner sets `on_system_call()`, `on_pause()` (true when it switched threads) and
    `on_fault(text, signal)`, which does not return.
    """

    def __init__(self, cpu, memory):
        self._bochs, self._hooks = load_bochs(cpu)
        self._library = ctypes.CDLL(LIBRARY)
        self._memory = memory
        self._session = self._bochs.Session()
        self._session.missing_page_handler = self._missing_page
        self.cpu = self._session.cpu
        self._map_own_pages()

    def _map_own_pages(self):
        pages = [self._bochs.memory.allocate_host_page() for _ in range(3)]
        for index, page in enumerate(pages):
            self._bochs.memory.page_insert(PAGE_TABLES + index * guest.PAGE, page)
        identity = [i << 30 | ONE_GIGABYTE | PRESENT_WRITE_USER for i in range(512)]
        guest.write(pages[0], struct.pack("<Q", PAGE_TABLES + guest.PAGE | PRESENT_WRITE_USER))
        guest.write(pages[1], struct.pack("<512Q", *identity))
        guest.write(pages[2], SYSRETQ)

    def _missing_page(self, address):
        if not self._memory.is_mapped(address):
            self.on_fault(f"segmentation fault: nothing is mapped at {address:#x}", 11)
        page = address // guest.PAGE * guest.PAGE
        self._bochs.memory.page_insert(page, page)

    def _exception(self, vector):
        signal, text = SIGNALS.get(vector, (5, f"exception {vector}"))
        self.on_fault(f"{text} at instruction {self.cpu.rip:#x}", signal)

    def _segment(self, selector, attributes, base=0):
        segment = self._bochs.Segment()
        segment.present, segment.selector, segment.attr = True, selector, attributes
        segment.base, segment.limit = base, 0xFFFFFFFF
        return segment

    def data_segment(self, base):
        return self._segment(0, DATA, base)

    def run(self, entry, stack):
        self.switch_to(self._first_state(entry, stack))
        system_call = ctypes.CFUNCTYPE(None)(self.on_system_call)
        pause = ctypes.CFUNCTYPE(ctypes.c_int)(self.on_pause)
        self._hooks.set_callbacks(ctypes.c_ulong(SYSTEM_CALL_ENTRY), system_call, pause)
        hook = self._bochs.Hook()
        hook.exception = lambda _session, _cpu, vector, _code: self._exception(vector)
        self._session.run([hook])
        self.on_fault(f"the core stopped at {self.cpu.rip:#x}", 6)

    def _first_state(self, entry, stack):
        state = self._bochs.State()
        self._bochs.cpu.set_long_mode(state)
        state.cr0, state.cr3 = CR0_PG_WP_NE_ET_MP_PE, PAGE_TABLES
        state.cr4, state.xcr0 = CR4_OSXSAVE_OSXMMEXCPT_OSFXSR_PGE_PAE, XCR0_X87_SSE_AVX_AVX512
        state.efer, state.rflags = EFER_NXE_LMA_LME_SCE, 0x202
        state.star, state.lstar = 0x23 << 48 | 0x10 << 32, SYSTEM_CALL_ENTRY
        state.cs = self._segment(USER_CODE, CODE_64_BIT)
        state.ss = state.ds = state.es = self._segment(USER_DATA, DATA)
        state.fs = state.gs = self.data_segment(0)
        state.mxcsr, state.fpcw, state.fptw = 0x1F80, 0x37F, 0xFFFF
        state.rip, state.rsp = entry, stack
        return state

    def state(self):
        return self.cpu.state

    def switch_to(self, state):
        self.cpu.state = state
        self._library.cpu_set_mxcsr_mask(0, 0xFFFF)  # setting a state leaves mxcsr itself there
