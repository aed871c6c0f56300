// SPDX-License-Identifier: MIT
// Everything public.
#pragma once

#include "convtranspose/activation.hpp"
#include "convtranspose/algorithm.hpp"
#include "convtranspose/descriptor.hpp"
#include "convtranspose/fast_math.hpp"
#include "convtranspose/half.hpp"
#include "convtranspose/isa.hpp"
#include "convtranspose/operations.hpp"
#include "convtranspose/plan.hpp"
#include "convtranspose/tensor_view.hpp"
#include "convtranspose/threads.hpp"
#include "convtranspose/version.hpp"
