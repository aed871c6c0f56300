// SPDX-License-Identifier: MIT
// The contract between the library and its kernels, which are compiled once per instruction set:
// plain structs and function pointers only.
#pragma once

#include <cstddef>

#include "convtranspose/algorithm.hpp"
#include "convtranspose/fast_math.hpp"
#include "epilogue.hpp"
#include "problem.hpp"

namespace convtranspose {

/// Bytes of one core's caches; the last level's whole size.
struct CacheSizes {
  Index l1, l2, l3;
};

/// All that decides how a computation is cut up. Never the number of threads: results must not
/// depend on it.
struct Request {
  Operation operation;
  DType dtype;
  Problem problem;
  DataStrides source, result;
  WeightsStrides weights;
  CacheSizes caches;
  FastMath fast_math;
  bool packed_ahead;  // a plan's: packing the weights costs its calls nothing
};

/// How a kernel cuts a request up. A call does, for every chunk in turn: all pack tasks, then all
/// jobs; and the finish tasks at the very end. Tasks of one kind are independent of one another.
struct Schedule {
  Index chunks = 1;           // parts of the work that share one set of packed weights
  Index packed_bytes = 0;     // packed weights of one chunk
  Index pack_tasks = 0;       // of one chunk
  Index jobs = 0;             // of one chunk
  Index workspace_bytes = 0;  // of one worker
  Index shared_bytes = 0;     // partial results that the finish tasks add up
  Index finish_tasks = 0;
  Index tile[16] = {};  // the kernel's own numbers
};

/// The operands, by meaning; the operation tells which one is written.
struct Tensors {
  const void* source;
  const void* weights;
  const void* result;
  void* output;  // same address as the one that is written
  Epilogue epilogue;
};

/// One kernel: an algorithm for one operation and one dtype.
struct Kernel {
  /// nullptr if it can do the request, else the reason why not.
  const char* (*refusal)(const Request&) noexcept;
  void (*prepare)(const Request&, Schedule&) noexcept;
  void (*pack)(const Request&, const Schedule&, const void* weights, void* packed, Index chunk,
               Index task) noexcept;
  void (*run)(const Request&, const Schedule&, const Tensors&, const void* packed, void* shared,
              Index chunk, Index job, void* workspace) noexcept;
  void (*finish)(const Request&, const Schedule&, const Tensors&, const void* shared,
                 Index task) noexcept;
  /// Packed weights serve tensors of any strides, and run() never reads the weights themselves; so
  /// a plan need not keep a copy of them.
  bool packed_suffices = false;
};

/// The kernels of one algorithm; run is nullptr where there is none.
struct KernelTable {
  Kernel kernels[kOperationCount][kDTypeCount];
};

/// The kernels of one instruction set.
struct KernelSet {
  Index vector_bytes;
  const KernelTable* (*table)(Algorithm) noexcept;  // nullptr for an algorithm it does not have
  double (*fma_burst)(Index repeats) noexcept;      // that many fused multiply-adds; for the bench
};

}  // namespace convtranspose
