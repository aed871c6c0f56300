// SPDX-License-Identifier: MIT
#include "execution.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace convtranspose {
namespace {

constexpr Index kAlignment = 64;

Index aligned(Index bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

char* offset(void* memory, Index bytes) { return static_cast<char*>(memory) + bytes; }

/// Runs body(task, worker) for every task.
template <class Body>
void parallel_for(Executor& executor, Index count, int workers, const Body& body) noexcept {
  if (count == 1 || workers == 1) {
    for (Index task = 0; task < count; ++task) body(task, 0);
    return;
  }
  executor.parallel_for(
      count, workers,
      [](void* context, Index task, int worker) {
        (*static_cast<const Body*>(context))(task, worker);
      },
      const_cast<void*>(static_cast<const void*>(&body)));
}

}  // namespace

Execution prepare(std::string_view operation, const Request& request, Algorithm wanted,
                  const IsaEntry& isa) {
  Execution e;
  e.isa = &isa;
  e.request = request;
  // Who asks for Winograd by name has asked for fast math.
  if (wanted == Algorithm::Winograd && request.fast_math == FastMath::Off) {
    e.request.fast_math = FastMath::On;
  }
  const KernelSet& kernels = *e.isa->kernels();
  e.choice = wanted == Algorithm::Auto || has_no_terms(request)
                 ? choose(e.request, kernels)
                 : Choice{wanted, "asked for by the caller"};
  e.kernel = find_kernel(kernels, e.choice.algorithm, e.request);
  const char* refusal = e.kernel == nullptr ? "it has no kernel for this operation and dtype"
                        : e.choice.algorithm != Algorithm::Reference && is_extreme(request)
                            ? "a stride, dilation or padding beyond any tile"
                            : e.kernel->refusal(e.request);
  if (refusal != nullptr) {
    throw std::invalid_argument(std::string(operation) + ": algorithm: expected one that can do " +
                                "this problem, got " + std::string(to_string(wanted)) + ": " +
                                refusal);
  }
  e.kernel->prepare(e.request, e.schedule);
  return e;
}

Index packed_bytes(const Execution& e) noexcept {
  return e.schedule.chunks * aligned(e.schedule.packed_bytes);
}

void pack(const Execution& e, const void* weights, void* packed, Executor& executor, int workers) {
  const Schedule& s = e.schedule;
  if (s.pack_tasks == 0) return;
  parallel_for(executor, s.chunks * s.pack_tasks, workers, [&](Index task, int) {
    const Index chunk = task / s.pack_tasks;
    e.kernel->pack(e.request, s, weights, offset(packed, chunk * aligned(s.packed_bytes)), chunk,
                   task % s.pack_tasks);
  });
}

Resources resources(const Execution& e, const Executor& executor, int threads,
                    bool packed_already) noexcept {
  const Schedule& s = e.schedule;
  const int limit =
      std::max(1, threads > 0 ? std::min(threads, executor.concurrency()) : executor.concurrency());
  const Index tasks = std::max({s.jobs, s.finish_tasks, packed_already ? Index{0} : s.pack_tasks});
  const int workers = static_cast<int>(std::clamp<Index>(tasks, 1, limit));
  return {workers, workers * aligned(s.workspace_bytes) + aligned(s.shared_bytes) +
                       (packed_already ? 0 : aligned(s.packed_bytes))};
}

void execute(const Execution& e, const Tensors& tensors, const void* packed, Executor& executor,
             int workers, void* memory) noexcept {
  const Schedule& s = e.schedule;
  const Index each = aligned(s.workspace_bytes);
  char* shared = offset(memory, workers * each);
  char* own_packed = shared + aligned(s.shared_bytes);
  for (Index chunk = 0; chunk < s.chunks; ++chunk) {
    const void* panel = own_packed;
    if (packed != nullptr) {
      panel = static_cast<const char*>(packed) + chunk * aligned(s.packed_bytes);
    } else if (s.pack_tasks > 0) {
      parallel_for(executor, s.pack_tasks, workers, [&](Index task, int) {
        e.kernel->pack(e.request, s, tensors.weights, own_packed, chunk, task);
      });
    }
    parallel_for(executor, s.jobs, workers, [&](Index job, int worker) {
      e.kernel->run(e.request, s, tensors, panel, shared, chunk, job,
                    offset(memory, worker * each));
    });
  }
  if (s.finish_tasks > 0) {
    parallel_for(executor, s.finish_tasks, workers,
                 [&](Index task, int) { e.kernel->finish(e.request, s, tensors, shared, task); });
  }
}

}  // namespace convtranspose
