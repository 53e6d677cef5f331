#version 460
#extension GL_GOOGLE_include_directive : require
#include "arguments.glsl"
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

#define BLOCK_VECTORS (GROUP_SIZE * IN_FLIGHT)
#define FILL(k) part[to + k * GROUP_SIZE] = a.data[from + k * VECTOR_STEP];
#define CLEAR(k) value##k = uvec4(0);
#define ADD(k) value##k += part[at + k * GROUP_SIZE];
#define FOLD(k) all += value##k;

void main() {
  for (uint block = 0; block < blocks; ++block) {
    const uint from = VECTOR_AT(block);
    const uint to = block * BLOCK_VECTORS + gl_LocalInvocationID.x;
    EACH(FILL)
  }
  barrier();
  DECLARE
  EACH(CLEAR)
  uint position = FIRST_POSITION;
  for (uint trip = 0; trip < trips; ++trip) {
    const uint at = position * BLOCK_VECTORS + gl_LocalInvocationID.x;
    EACH(ADD)
    position = AFTER(position);
  }
  uvec4 all = uvec4(0);
  EACH(FOLD)
  sums.data[gl_GlobalInvocationID.x] = all.x + all.y + all.z + all.w;
}
