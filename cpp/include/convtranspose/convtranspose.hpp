// SPDX-License-Identifier: MIT
// Everything public.
#pragma once

#include "convtranspose/algorithm.hpp"
#include "convtranspose/descriptor.hpp"
#include "convtranspose/half.hpp"
#include "convtranspose/isa.hpp"
#include "convtranspose/operations.hpp"
#include "convtranspose/tensor_view.hpp"
#include "convtranspose/threads.hpp"
#include "convtranspose/version.hpp"
