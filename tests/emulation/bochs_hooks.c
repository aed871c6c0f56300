// SPDX-License-Identifier: MIT
// Loaded with RTLD_GLOBAL before bochscpu's extension module, which then binds to these functions
// instead of its own of the same name.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *library, *cpu_constructor;
static unsigned long system_call_entry;
static void (*on_system_call)(void);
static int (*on_pause)(void);

void set_cpu(const char* library_path, const char* constructor) {
  library = strdup(library_path);
  cpu_constructor = strdup(constructor);
}

void set_callbacks(unsigned long entry, void (*system_call)(void), int (*pause)(void)) {
  system_call_entry = entry;
  on_system_call = system_call;
  on_pause = pause;
}

static void* original(const char* name) {
  return dlsym(dlopen(library, RTLD_NOW | RTLD_NOLOAD), name);
}

// bochscpu always models Cannon Lake, which has no AVX512_BF16; the library holds the others too.
void* _Z23create_corei3_cnl_cpuidP8BX_CPU_C(void* cpu) {
  void* (*create)(void*) = original(cpu_constructor);
  return create(cpu);
}

void bx_instr_far_branch(unsigned cpu, unsigned kind, unsigned short old_code, unsigned long from,
                         unsigned short new_code, unsigned long to) {
  if (to == system_call_entry) on_system_call();
}

// A thread that spins must let the others run: there is no other preemption.
void _ZN8BX_CPU_C5PAUSEEP15bxInstruction_c(void* instruction) {
  static void (*cpu_bail)(unsigned);
  if (!cpu_bail) cpu_bail = original("cpu_bail");
  if (on_pause()) cpu_bail(0);  // leaves the decoded trace, which belongs to the thread that paused
}

// This Bochs fills the upper half of vcvtne2ps2bf16 from past the end of its first source. Its own
// code is right for the lower half, so each source is converted there. The offsets are those of
// bxInstruction_c, and of async_event in BX_CPU_C, in bochscpu-python 0.4.0.
enum { kDestination = 0x14, kSource1 = 0x15, kSource2 = 0x16, kLanes = 0x21, kOpmask = 0x23 };
enum { kAsyncEvent = 0x9080 };

void _ZN8BX_CPU_C30VCVTNE2PS2BF16_MASK_VphHpsWpsREP15bxInstruction_c(unsigned char* instruction) {
  static void (*convert)(void*);
  static void (*get)(unsigned, unsigned, void*), (*set)(unsigned, unsigned, void*);
  static unsigned* async_event;
  if (!convert) {
    convert = original("_ZN8BX_CPU_C30VCVTNE2PS2BF16_MASK_VphHpsWpsREP15bxInstruction_c");
    get = original("cpu_get_zmm");
    set = original("cpu_set_zmm");
    async_event = (unsigned*)((char*)original("bx_cpu") + kAsyncEvent);
  }
  if (instruction[kOpmask]) {
    fprintf(stderr, "run_avx512: a masked vcvtne2ps2bf16 is not emulated\n");
    _exit(132);
  }
  const unsigned destination = instruction[kDestination], half = instruction[kLanes] * 8;
  const unsigned char source2 = instruction[kSource2];
  const unsigned event = *async_event;
  unsigned char upper[64], result[64];
  *async_event = 1;  // keeps `convert` from running on into the next instruction
  get(0, instruction[kSource1], upper);
  convert(instruction);
  get(0, destination, result);
  set(0, destination, upper);
  instruction[kSource2] = destination;
  convert(instruction);
  instruction[kSource2] = source2;
  get(0, destination, upper);
  memcpy(result + half, upper, half);
  set(0, destination, result);
  *async_event = event;
}

// The wheel is linked against glibc 2.38; older ones lack these two names.
unsigned long long __isoc23_strtoull(const char* text, char** end, int base) {
  return strtoull(text, end, base);
}

int __isoc23_sscanf(const char* text, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int count = vsscanf(text, format, arguments);
  va_end(arguments);
  return count;
}

// Instrumentation of every instruction, which this tool does not use.
void bx_instr_before_execution(unsigned cpu, void* instruction) {}
void bx_instr_after_execution(unsigned cpu, void* instruction) {}
void bx_instr_repeat_iteration(unsigned cpu, void* instruction) {}
void bx_instr_opcode(unsigned cpu, void* i, const void* code, unsigned n, unsigned is_32,
                     unsigned is_64) {}
void bx_instr_lin_access(unsigned cpu, unsigned long linear, unsigned long physical,
                         unsigned length, unsigned type, unsigned write) {}
void bx_instr_phy_access(unsigned cpu, unsigned long physical, unsigned length, unsigned type,
                         unsigned write) {}
void bx_instr_cnear_branch_taken(unsigned cpu, unsigned long from, unsigned long to) {}
void bx_instr_cnear_branch_not_taken(unsigned cpu, unsigned long from) {}
void bx_instr_ucnear_branch(unsigned cpu, unsigned kind, unsigned long from, unsigned long to) {}
