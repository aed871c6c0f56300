/* SPDX-License-Identifier: MIT */
/* A C99 program: a transposed convolution draws a spot for each point of a coarse map. */
#include <stdio.h>
#include <stdlib.h>

#include <convtranspose/convtranspose.h>

enum { POINTS = 3, STRIDE = 6, KERNEL = 5, SIZE = (POINTS - 1) * STRIDE + KERNEL };

static void require(convtranspose_status status) {
  if (status == CONVTRANSPOSE_OK) return;
  fprintf(stderr, "%s\n", convtranspose_message());
  exit(1);
}

static void draw(const float* picture) {
  static const char kShades[] = " .:#@";
  int y, x;
  for (y = 0; y < SIZE; ++y) {
    for (x = 0; x < SIZE; ++x) putchar(kShades[(int)picture[y * SIZE + x]]);
    putchar('\n');
  }
}

int main(void) {
  float map[POINTS * POINTS] = {1, 0, 0, 0, 1, 0, 1, 0, 1};
  float spot[KERNEL * KERNEL] = {0, 0, 1, 0, 0, 0, 1, 2, 1, 0, 1, 2, 3,
                                 2, 1, 0, 1, 2, 1, 0, 0, 0, 1, 0, 0};
  float picture[SIZE * SIZE];
  const float brighter[1] = {1};
  convtranspose_tensor source =
      convtranspose_dense(map, CONVTRANSPOSE_FLOAT32, 1, 1, POINTS, POINTS);
  convtranspose_tensor weights =
      convtranspose_dense(spot, CONVTRANSPOSE_FLOAT32, 1, 1, KERNEL, KERNEL);
  convtranspose_tensor result =
      convtranspose_dense(picture, CONVTRANSPOSE_FLOAT32, 1, 1, SIZE, SIZE);
  convtranspose_descriptor descriptor = CONVTRANSPOSE_DESCRIPTOR_INIT;
  convtranspose_plan_options options = CONVTRANSPOSE_PLAN_OPTIONS_INIT;
  convtranspose_plan* plan;
  descriptor.stride_in_x = descriptor.stride_in_y = STRIDE;

  require(convtranspose_call(CONVTRANSPOSE_CONVOLUTION_TRANSPOSE_2D, &source, &weights, &result,
                             &descriptor, NULL));
  draw(picture);

  /* The same as a plan: the weights are copied, and a bias and a limit built in. */
  options.bias = brighter;
  options.activation = CONVTRANSPOSE_CLAMP;
  options.alpha = 0;
  options.beta = 4;
  require(convtranspose_plan_create(&plan, CONVTRANSPOSE_CONVOLUTION_TRANSPOSE_2D, &source,
                                    &weights, &result, &descriptor, &options));
  require(convtranspose_plan_run(plan, &source, NULL, &result, NULL));
  convtranspose_plan_destroy(plan);
  draw(picture);

  descriptor.groups = 2;
  if (convtranspose_call(CONVTRANSPOSE_CONVOLUTION_TRANSPOSE_2D, &source, &weights, &result,
                         &descriptor, NULL) != CONVTRANSPOSE_OK) {
    printf("refused: %s\n", convtranspose_message());
  }
  return 0;
}
