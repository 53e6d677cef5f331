#version 460
#extension GL_GOOGLE_include_directive : require
#include "arguments.glsl"
#include "../kernels/steps.h"
#define OFFSET_SHIFT_ID 1
#include "offsets.glsl"

// The same as kernels/chase_by_many.cl, which explains it.
BUFFER(0, Next, next, uint)
BUFFER(1, Starts, starts, uint)
BUFFER(2, Sums, sums, uint)
layout(push_constant) uniform Arguments {
  BUFFER_ARGUMENT(Next, next)
  BUFFER_ARGUMENT(Starts, starts)
  BUFFER_ARGUMENT(Sums, sums)
  uint first;
  uint count;
  uint stretches;
};

#define STEP at = WORD_AT(next, at);

void main() {
  const uint item = gl_LocalInvocationID.x;
  uint sum = 0;
  for (uint turn = 0; turn < count; turn += gl_WorkGroupSize.x) {
    if (turn + item < count) {
      const uint stretch = first + turn + item;
      uint at = starts.data[stretch < stretches ? stretch : stretch - stretches];
      STEPS_32
      sum += at;
    }
    barrier();
  }
  sums.data[item] = sum;
}
