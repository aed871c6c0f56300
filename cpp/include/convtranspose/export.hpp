// SPDX-License-Identifier: MIT
// Symbol visibility of the shared library; empty for the static one.
#pragma once

#if defined(CONVTRANSPOSE_STATIC)
#define CONVTRANSPOSE_EXPORT
#elif defined(_WIN32)
#if defined(CONVTRANSPOSE_BUILDING)
#define CONVTRANSPOSE_EXPORT __declspec(dllexport)
#else
#define CONVTRANSPOSE_EXPORT __declspec(dllimport)
#endif
#else
#define CONVTRANSPOSE_EXPORT __attribute__((visibility("default")))
#endif
