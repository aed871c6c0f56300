// SPDX-License-Identifier: MIT
// Calls the six operations on tensors of a Problem, and knows what they should give.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "oracle.hpp"
#include "runner.hpp"
#include "tensor.hpp"

namespace testing {

using convtranspose::Algorithm;
using convtranspose::CallOptions;

enum class Function {
  ConvolutionTranspose2D,
  ConvolutionTranspose2DDataGradient,
  ConvolutionTranspose2DWeightsGradient,
  Convolution2D,
  Convolution2DDataGradient,
  Convolution2DWeightsGradient,
};
constexpr Function kFunctions[] = {
    Function::ConvolutionTranspose2D,
    Function::ConvolutionTranspose2DDataGradient,
    Function::ConvolutionTranspose2DWeightsGradient,
    Function::Convolution2D,
    Function::Convolution2DDataGradient,
    Function::Convolution2DWeightsGradient,
};
/// As it is spelled in code and errors.
inline std::string name_of(Function f) {
  static constexpr const char* kNames[] = {
      "convolution_transpose_2d",
      "convolution_transpose_2d_data_gradient",
      "convolution_transpose_2d_weights_gradient",
      "convolution_2d",
      "convolution_2d_data_gradient",
      "convolution_2d_weights_gradient",
  };
  return kNames[static_cast<int>(f)];
}
/// The three different sums among the six.
constexpr Function kSums[] = {Function::ConvolutionTranspose2D,
                              Function::ConvolutionTranspose2DDataGradient,
                              Function::ConvolutionTranspose2DWeightsGradient};

/// Which of the transposed operation's tensors a function writes.
enum class Written { Result, Source, Weights };
constexpr Written written_by(Function f) {
  switch (f) {
    case Function::ConvolutionTranspose2D:
    case Function::Convolution2DDataGradient:
      return Written::Result;
    case Function::ConvolutionTranspose2DDataGradient:
    case Function::Convolution2D:
      return Written::Source;
    default:
      return Written::Weights;
  }
}

struct Operands {
  Numbers source, weights, result;
};

/// A function of this library that gets three views, the output last.
template <class T>
void call(Function f, convtranspose::TensorView<T> source, convtranspose::TensorView<T> weights,
          convtranspose::TensorView<T> result, const Convolution2DOpDescriptor& descriptor,
          const CallOptions& options) {
  using namespace convtranspose;
  switch (f) {
    case Function::ConvolutionTranspose2D:
      return convolution_transpose_2d<T>(source, weights, result, descriptor, options);
    case Function::ConvolutionTranspose2DDataGradient:
      return convolution_transpose_2d_data_gradient<T>(result, weights, source, descriptor,
                                                       options);
    case Function::ConvolutionTranspose2DWeightsGradient:
      return convolution_transpose_2d_weights_gradient<T>(result, source, weights, descriptor,
                                                          options);
    case Function::Convolution2D:
      return convolution_2d<T>(result, weights, source, descriptor, options);
    case Function::Convolution2DDataGradient:
      return convolution_2d_data_gradient<T>(source, weights, result, descriptor, options);
    case Function::Convolution2DWeightsGradient:
      return convolution_2d_weights_gradient<T>(source, result, weights, descriptor, options);
  }
}

/// The output of one call, which starts full of NaN; the surroundings of all tensors are checked.
template <class T>
Numbers run(Function f, const Problem& p, const Operands& o, const CallOptions& options = {},
            Placement placement = Placement::Dense, Where where = Where::Heap) {
  const Written written = written_by(f);
  const auto input = [&](Written which, const Shape& shape, Layout layout, const Numbers& numbers) {
    return which == written ? Tensor<T>(shape, layout, placement, where)
                            : Tensor<T>(shape, layout, numbers, placement, where);
  };
  auto source = input(Written::Source, p.source(), p.data_layout, o.source);
  auto weights = input(Written::Weights, p.weights(), p.weights_layout, o.weights);
  auto result = input(Written::Result, p.result(), p.data_layout, o.result);
  call<T>(f, source.view(), weights.view(), result.view(), p.descriptor(), options);
  for (Tensor<T>* tensor : {&source, &weights, &result}) CHECK(tensor->surroundings_intact());
  return (written == Written::Result   ? result
          : written == Written::Source ? source
                                       : weights)
      .numbers();
}

/// What it should be, before rounding to storage.
inline Numbers expected(Function f, const Problem& p, const Operands& o) {
  switch (written_by(f)) {
    case Written::Result:
      return result_of(p, o.source, o.weights);
    case Written::Source:
      return source_gradient_of(p, o.result, o.weights);
    case Written::Weights:
      return weights_gradient_of(p, o.result, o.source);
  }
  return {};
}

template <class T>
Numbers rounded(Numbers numbers) {
  for (double& v : numbers) v = from_storage(to_storage<T>(v));
  return numbers;
}

inline Operands integer_operands(const Problem& p, unsigned seed = 1) {
  return {small_integers(count(p.source()), seed), small_integers(count(p.weights()), seed + 1),
          small_integers(count(p.result()), seed + 2)};
}
inline Operands fraction_operands(const Problem& p, unsigned seed = 1) {
  return {fractions(count(p.source()), seed), fractions(count(p.weights()), seed + 1),
          fractions(count(p.result()), seed + 2)};
}

struct NamedAlgorithm {
  Algorithm algorithm;
  const char* name;
};
constexpr NamedAlgorithm kAlgorithms[] = {
#define CONVTRANSPOSE_ROW(enumerator, name, value) {Algorithm::enumerator, name},
    CONVTRANSPOSE_ALGORITHMS(CONVTRANSPOSE_ROW)
#undef CONVTRANSPOSE_ROW
};

/// Runs body() unless the library says that the algorithm cannot do the problem.
template <class Body>
bool unless_refused(const Body& body) {
  try {
    body();
  } catch (const std::invalid_argument& e) {
    if (std::string(e.what()).find(": algorithm: expected") == std::string::npos) throw;
    return false;
  }
  return true;
}

/// Restores the active instruction set.
class EveryIsa {
 public:
  EveryIsa() : before_(convtranspose::active_isa()) {}
  ~EveryIsa() { convtranspose::set_isa(before_); }
  template <class Body>
  void operator()(const Body& body) const {
    for (const std::string_view isa : convtranspose::available_isas()) {
      const Context context("isa " + std::string(isa));
      convtranspose::set_isa(isa);
      body();
    }
  }

 private:
  std::string before_;
};

}  // namespace testing
