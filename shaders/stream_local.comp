#version 460
#extension GL_GOOGLE_include_directive : require
#include "arguments.glsl"
#define ROW_STEP GROUP_SIZE
#include "stream.glsl"

// The same as kernels/stream_local.cl, which explains it.
READ_ONLY_VECTORS(0, A, a)
BUFFER(1, Sums, sums, uint)
layout(push_constant) uniform Arguments {
  BUFFER_ARGUMENT(A, a)
  BUFFER_ARGUMENT(Sums, sums)
  WALK_ARGUMENTS
};

shared uvec4 part[1024];

#define PART_AT(position) ((position) * (GROUP_SIZE * IN_FLIGHT) + gl_LocalInvocationID.x)
#define FILL(k) part[to + k * GROUP_SIZE] = a.data[from + k * VECTOR_STEP];
#define READ(at) part[at]

void main() {
  for (uint block = 0; block < blocks; ++block) {
    const uint from = VECTOR_AT(block);
    const uint to = PART_AT(block);
    EACH(FILL)
  }
  barrier();
  ADD_UP_ALL_TRIPS(PART_AT)
}
