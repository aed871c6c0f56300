/* SPDX-License-Identifier: MIT */
/* The C interface (C99): the six operations, as single calls and as plans.
 *
 * - Every function that can fail returns a status; convtranspose_message() then says which argument
 *   was wrong, what was expected and what came. No exception leaves the library.
 * - Structs that may grow begin with struct_size. Start from their _INIT macro, or zero them and
 * set struct_size = sizeof(the struct): a program and a library of different ages then understand
 *   each other. Fields of later versions do nothing when they are 0.
 * - Nothing is written unless all arguments are right. Outputs must not overlap inputs.
 * - A plan is immutable; any number of threads may run it at one time.
 */
#ifndef CONVTRANSPOSE_CONVTRANSPOSE_H
#define CONVTRANSPOSE_CONVTRANSPOSE_H

#include <stddef.h>
#include <stdint.h>

#include "convtranspose/export.hpp"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  CONVTRANSPOSE_OK = 0,
  CONVTRANSPOSE_INVALID_ARGUMENT = 1,
  CONVTRANSPOSE_OUT_OF_MEMORY = 2,
  CONVTRANSPOSE_INTERNAL_ERROR = 3
};
typedef int32_t convtranspose_status;

/* Why this thread's last failed call failed: "<operation>: <argument>: expected ..., got ...".
 * Valid until its next one; cut after 1023 bytes; never NULL. */
CONVTRANSPOSE_EXPORT const char* convtranspose_message(void);

/* Which operation; beside it its operands in order, the output last. Shapes are in the descriptor's
 * data layout, those of weights in its weights layout. */
enum convtranspose_operation {
  /* source, weights -> result */
  CONVTRANSPOSE_CONVOLUTION_TRANSPOSE_2D = 0,
  /* incoming gradient, weights -> gradient with respect to the source */
  CONVTRANSPOSE_CONVOLUTION_TRANSPOSE_2D_DATA_GRADIENT = 1,
  /* incoming gradient, source -> gradient with respect to the weights */
  CONVTRANSPOSE_CONVOLUTION_TRANSPOSE_2D_WEIGHTS_GRADIENT = 2,
  /* the same three of the convolution */
  CONVTRANSPOSE_CONVOLUTION_2D = 3,
  CONVTRANSPOSE_CONVOLUTION_2D_DATA_GRADIENT = 4,
  CONVTRANSPOSE_CONVOLUTION_2D_WEIGHTS_GRADIENT = 5
};

enum convtranspose_dtype {
  CONVTRANSPOSE_FLOAT32 = 0,
  CONVTRANSPOSE_FLOAT64 = 1,
  CONVTRANSPOSE_FLOAT16 = 2, /* IEEE 754 binary16 */
  CONVTRANSPOSE_BFLOAT16 = 3
};

/* MPSGraph's values. */
enum convtranspose_padding_style {
  CONVTRANSPOSE_EXPLICIT = 0,
  CONVTRANSPOSE_TF_VALID = 1,
  CONVTRANSPOSE_TF_SAME = 2,
  CONVTRANSPOSE_ONNX_SAME_LOWER = 4
};
enum convtranspose_layout {
  CONVTRANSPOSE_NCHW = 0,
  CONVTRANSPOSE_NHWC = 1,
  CONVTRANSPOSE_OIHW = 2,
  CONVTRANSPOSE_HWIO = 3
};

enum convtranspose_activation {
  CONVTRANSPOSE_NO_ACTIVATION = 0,
  CONVTRANSPOSE_RELU = 1,
  CONVTRANSPOSE_LEAKY_RELU = 2, /* v < 0 ? alpha v : v       */
  CONVTRANSPOSE_SIGMOID = 3,
  CONVTRANSPOSE_TANH = 4,
  CONVTRANSPOSE_CLAMP = 5 /* min(max(v, alpha), beta)  */
};

/* How far sums may leave the textbook order to be faster: convtranspose/fast_math.hpp. */
enum convtranspose_fast_math {
  CONVTRANSPOSE_FAST_MATH_UNSET = 0, /* as CONVTRANSPOSE_FAST_MATH says, else off */
  CONVTRANSPOSE_FAST_MATH_OFF = 1,
  CONVTRANSPOSE_FAST_MATH_ON = 2,
  CONVTRANSPOSE_FAST_MATH_AGGRESSIVE = 3
};

/* A tensor of rank 4 in the caller's memory. Strides are in elements and of either sign; the data
 * of an input is not written, that of an output is. This struct will not change. */
typedef struct convtranspose_tensor {
  void* data; /* aligned for one element */
  int64_t shape[4];
  int64_t strides[4];
  int32_t dtype;
  int32_t reserved; /* 0 */
} convtranspose_tensor;

/* Strides of a tensor without gaps whose last axis is the fastest. */
CONVTRANSPOSE_EXPORT convtranspose_tensor convtranspose_dense(void* data, int32_t dtype, int64_t n0,
                                                              int64_t n1, int64_t n2, int64_t n3);

/* MPSGraph's descriptor. It describes the forward convolution, also for the transposed one. */
typedef struct convtranspose_descriptor {
  size_t struct_size;
  int64_t stride_in_x, stride_in_y;
  int64_t dilation_rate_in_x, dilation_rate_in_y;
  int64_t groups;
  int64_t padding_left, padding_right, padding_top, padding_bottom;
  int32_t padding_style;  /* convtranspose_padding_style */
  int32_t data_layout;    /* NCHW or NHWC */
  int32_t weights_layout; /* OIHW or HWIO */
  int32_t reserved;       /* 0 */
} convtranspose_descriptor;
#define CONVTRANSPOSE_DESCRIPTOR_INIT \
  {sizeof(convtranspose_descriptor),  \
   1,                                 \
   1,                                 \
   1,                                 \
   1,                                 \
   1,                                 \
   0,                                 \
   0,                                 \
   0,                                 \
   0,                                 \
   CONVTRANSPOSE_EXPLICIT,            \
   CONVTRANSPOSE_NCHW,                \
   CONVTRANSPOSE_OIHW,                \
   0}

/* Runs independent tasks on threads of the caller's. */
typedef void (*convtranspose_task)(void* context, int64_t task, int32_t worker);
typedef struct convtranspose_executor {
  size_t struct_size;
  void* user; /* handed to both functions */
  /* How many workers a call may sensibly ask for; at least 1. */
  int32_t (*concurrency)(void* user);
  /* Calls task(context, i, worker) once for every 0 <= i < count and returns when all are done. No
   * two that run at one time get the same worker; 0 <= worker < workers. Must not throw. */
  void (*parallel_for)(void* user, int64_t count, int32_t workers, convtranspose_task task,
                       void* context);
} convtranspose_executor;

/* The library's own pool: safe after fork(); serial when nested or busy. */
CONVTRANSPOSE_EXPORT const convtranspose_executor* convtranspose_default_executor(void);
CONVTRANSPOSE_EXPORT int32_t convtranspose_get_num_threads(void);
CONVTRANSPOSE_EXPORT convtranspose_status convtranspose_set_num_threads(int32_t count);

/* How a single call is carried out. NULL stands for the defaults. */
typedef struct convtranspose_call_options {
  size_t struct_size;
  const char* name;                       /* leads messages; NULL: the operation's         */
  const convtranspose_executor* executor; /* NULL: the calling thread                      */
  int32_t threads;                        /* at most so many of the executor's; 0: all     */
  int32_t algorithm;                      /* of convtranspose/algorithm.hpp; 0: chosen     */
  int32_t not_strict;                     /* 1: crop or zero-fill a result of another size */
  int32_t check_only;                     /* 1: refuse what is wrong, compute nothing      */
  int32_t fast_math;                      /* convtranspose_fast_math                       */
  int32_t reserved;                       /* 0                                             */
} convtranspose_call_options;
#define CONVTRANSPOSE_CALL_OPTIONS_INIT \
  {sizeof(convtranspose_call_options), NULL, NULL, 0, 0, 0, 0, 0, 0}

CONVTRANSPOSE_EXPORT convtranspose_status convtranspose_call(
    int32_t operation, const convtranspose_tensor* first, const convtranspose_tensor* second,
    const convtranspose_tensor* output, const convtranspose_descriptor* descriptor,
    const convtranspose_call_options* options);

/* A plan: everything that depends on shapes and weights alone is done once. */
typedef struct convtranspose_plan convtranspose_plan;

/* How a plan is made. NULL stands for the defaults. */
typedef struct convtranspose_plan_options {
  size_t struct_size;
  const char* name;                       /* as above                                       */
  const convtranspose_executor* executor; /* packs the weights; NULL: the calling thread    */
  const void* bias;                       /* one number an output channel, of the dtype     */
  int32_t algorithm;                      /* as above                                       */
  int32_t not_strict;                     /* as above                                       */
  int32_t activation;                     /* convtranspose_activation                       */
  int32_t fast_math;                      /* convtranspose_fast_math                        */
  double alpha, beta;                     /* the activation's numbers                       */
} convtranspose_plan_options;
#define CONVTRANSPOSE_PLAN_OPTIONS_INIT \
  {sizeof(convtranspose_plan_options), NULL, NULL, NULL, 0, 0, 0, 0, 0.0, 0.0}

/* The operands are those of a call; only the data of weights is read, and copied. Weights gradients
 * take no bias and no activation. `*plan` is set on success alone. */
CONVTRANSPOSE_EXPORT convtranspose_status convtranspose_plan_create(
    convtranspose_plan** plan, int32_t operation, const convtranspose_tensor* first,
    const convtranspose_tensor* second, const convtranspose_tensor* output,
    const convtranspose_descriptor* descriptor, const convtranspose_plan_options* options);
CONVTRANSPOSE_EXPORT void convtranspose_plan_destroy(convtranspose_plan* plan); /* NULL is fine */

/* How a plan is run. NULL stands for the defaults. */
typedef struct convtranspose_run_options {
  size_t struct_size;
  const convtranspose_executor* executor; /* NULL: the calling thread                      */
  void* workspace;                        /* aligned to 64 bytes; NULL: allocated          */
  int64_t workspace_bytes;                /* less than a run takes: allocated too          */
  int32_t threads;                        /* at most so many of the executor's; 0: all     */
  int32_t reserved;                       /* 0                                             */
} convtranspose_run_options;
#define CONVTRANSPOSE_RUN_OPTIONS_INIT {sizeof(convtranspose_run_options), NULL, NULL, 0, 0, 0}

/* `second` is NULL where it would be the weights: the plan has them. Given a workspace, a run on
 * dense tensors allocates nothing. */
CONVTRANSPOSE_EXPORT convtranspose_status
convtranspose_plan_run(const convtranspose_plan* plan, const convtranspose_tensor* first,
                       const convtranspose_tensor* second, const convtranspose_tensor* output,
                       const convtranspose_run_options* options);

/* Bytes of workspace that a run on dense tensors takes with these options' executor and threads. */
CONVTRANSPOSE_EXPORT int64_t convtranspose_plan_workspace_bytes(
    const convtranspose_plan* plan, const convtranspose_run_options* options);
CONVTRANSPOSE_EXPORT int32_t convtranspose_plan_algorithm(const convtranspose_plan* plan);
CONVTRANSPOSE_EXPORT const char* convtranspose_plan_isa(const convtranspose_plan* plan);
CONVTRANSPOSE_EXPORT double convtranspose_plan_flops(const convtranspose_plan* plan);

/* The smallest and the largest result shape that the transposed convolution accepts. */
CONVTRANSPOSE_EXPORT convtranspose_status convtranspose_output_shape_range(
    const int64_t source_shape[4], const int64_t weights_shape[4],
    const convtranspose_descriptor* descriptor, int64_t smallest[4], int64_t largest[4]);
/* The result shape of the convolution. */
CONVTRANSPOSE_EXPORT convtranspose_status convtranspose_convolution_2d_output_shape(
    const int64_t source_shape[4], const int64_t weights_shape[4],
    const convtranspose_descriptor* descriptor, int64_t shape[4]);

CONVTRANSPOSE_EXPORT const char* convtranspose_version(void);
CONVTRANSPOSE_EXPORT const char* convtranspose_algorithm_name(int32_t algorithm);
/* The instruction set that later calls and plans use; NULL where CONVTRANSPOSE_ISA is wrong. */
CONVTRANSPOSE_EXPORT const char* convtranspose_active_isa(void);
CONVTRANSPOSE_EXPORT convtranspose_status convtranspose_set_isa(const char* name);

#ifdef __cplusplus
}
#endif

#endif
