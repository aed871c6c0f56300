/* SPDX-License-Identifier: MIT */
/* A C99 program: a call, a plan on an executor of its own, and an error. */
#include <stdio.h>
#include <string.h>

#include <convtranspose/convtranspose.h>

static int failures = 0;

static void check(int good, const char* what) {
  if (good) return;
  ++failures;
  printf("failed: %s (%s)\n", what, convtranspose_message());
}

/* Two "workers" in turn, and a count of what they did. */
typedef struct {
  int calls;
  int64_t tasks;
} turns;

static int32_t two(void* user) {
  (void)user;
  return 2;
}

static void in_turn(void* user, int64_t count, int32_t workers, convtranspose_task task,
                    void* context) {
  turns* t = user;
  int64_t i;
  ++t->calls;
  t->tasks += count;
  for (i = count - 1; i >= 0; --i) task(context, i, (int32_t)(i % workers));
}

int main(void) {
  enum { CHANNELS = 8, SIZE = 16, RESULT = 2 * SIZE };
  static float source[CHANNELS * SIZE * SIZE], weights[CHANNELS * CHANNELS * 4];
  static float result[CHANNELS * RESULT * RESULT];
  const float bias[CHANNELS] = {0, 1, 2, 3, 4, 5, 6, 7};
  convtranspose_tensor s =
      convtranspose_dense(source, CONVTRANSPOSE_FLOAT32, 1, CHANNELS, SIZE, SIZE);
  convtranspose_tensor w =
      convtranspose_dense(weights, CONVTRANSPOSE_FLOAT32, CHANNELS, CHANNELS, 2, 2);
  convtranspose_tensor r =
      convtranspose_dense(result, CONVTRANSPOSE_FLOAT32, 1, CHANNELS, RESULT, RESULT);
  convtranspose_descriptor descriptor = CONVTRANSPOSE_DESCRIPTOR_INIT;
  convtranspose_plan_options plan_options = CONVTRANSPOSE_PLAN_OPTIONS_INIT;
  convtranspose_run_options run_options = CONVTRANSPOSE_RUN_OPTIONS_INIT;
  convtranspose_executor executor = {sizeof(convtranspose_executor), NULL, two, in_turn};
  convtranspose_plan* plan = NULL;
  turns done = {0, 0};
  size_t i;
  int good = 1;

  descriptor.stride_in_x = descriptor.stride_in_y = 2;
  for (i = 0; i < sizeof source / sizeof source[0]; ++i) source[i] = 1;
  for (i = 0; i < sizeof weights / sizeof weights[0]; ++i) weights[i] = 2;

  check(convtranspose_call(CONVTRANSPOSE_CONVOLUTION_TRANSPOSE_2D, &s, &w, &r, &descriptor, NULL) ==
            CONVTRANSPOSE_OK,
        "call");
  for (i = 0; i < sizeof result / sizeof result[0]; ++i) good = good && result[i] == 2 * CHANNELS;
  check(good, "values of the call");

  plan_options.bias = bias;
  plan_options.activation = CONVTRANSPOSE_RELU;
  check(convtranspose_plan_create(&plan, CONVTRANSPOSE_CONVOLUTION_TRANSPOSE_2D, &s, &w, &r,
                                  &descriptor, &plan_options) == CONVTRANSPOSE_OK,
        "plan");
  executor.user = &done;
  run_options.executor = &executor;
  check(convtranspose_plan_run(plan, &s, NULL, &r, &run_options) == CONVTRANSPOSE_OK, "run");
  for (i = 0; i < sizeof result / sizeof result[0]; ++i) {
    good = good && result[i] == 2 * CHANNELS + bias[i / (RESULT * RESULT)];
  }
  check(good, "values of the plan");
  convtranspose_plan_destroy(plan);

  descriptor.groups = 3;
  check(convtranspose_call(CONVTRANSPOSE_CONVOLUTION_TRANSPOSE_2D, &s, &w, &r, &descriptor, NULL) ==
            CONVTRANSPOSE_INVALID_ARGUMENT,
        "wrong groups");
  check(strncmp(convtranspose_message(), "convolution_transpose_2d: ", 26) == 0, "message");
  printf("%s from C: %d failures; %d parallel loops of %d tasks\n", convtranspose_version(),
         failures, done.calls, (int)done.tasks);
  return failures != 0;
}
