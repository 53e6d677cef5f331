#version 460
#extension GL_GOOGLE_include_directive : require
#include "arguments.glsl"

// The same as kernels/frame_pass.cl, which explains it.
READ_ONLY_VECTORS(0, A, a)
READ_ONLY_VECTORS(1, B, b)
READ_ONLY_VECTORS(2, C, c)
WRITTEN_VECTORS(3, Target, target)
layout(push_constant) uniform Arguments {
  BUFFER_ARGUMENT(A, a)
  BUFFER_ARGUMENT(B, b)
  BUFFER_ARGUMENT(C, c)
  BUFFER_ARGUMENT(Target, target)
  uint items;
  uint salt;
  uint out_rows;
  uint a_rows;
  uint a_times;
  uint a_step;
  uint a_start;
  uint a_vectors;
  uint b_rows;
  uint b_times;
  uint b_step;
  uint b_start;
  uint b_vectors;
  uint c_rows;
  uint c_times;
  uint c_step;
  uint c_start;
  uint c_vectors;
};

#define GROUP_SIZE gl_WorkGroupSize.x
#define BASE(rows) (block * GROUP_SIZE * (rows) + local_item)

#define TAKE_IN(surface, rows, times, step, start, vectors)     \
  for (uint time = 0; time < times; ++time) {                   \
    uint at = BASE(rows) + start + time * step;                 \
    for (uint row = 0; row < rows; ++row, at += width) {        \
      made = made * 0x85EBCA6Bu + surface.data[at < vectors ? at : at - vectors]; \
    }                                                           \
  }

void main() {
  const uint local_item = gl_LocalInvocationID.x;
  const uint blocks = (items + GROUP_SIZE - 1) / GROUP_SIZE;
  for (uint block = gl_WorkGroupID.x; block < blocks; block += gl_NumWorkGroups.x) {
    const uint width = min(GROUP_SIZE, items - block * GROUP_SIZE);
    if (local_item >= width) break;
    uvec4 made = ((block * GROUP_SIZE + local_item) * 4 + uvec4(0, 1, 2, 3)) * 0x9E3779B9u + salt;
    TAKE_IN(a, a_rows, a_times, a_step, a_start, a_vectors)
    TAKE_IN(b, b_rows, b_times, b_step, b_start, b_vectors)
    TAKE_IN(c, c_rows, c_times, c_step, c_start, c_vectors)
    uint at = BASE(out_rows);
    for (uint row = 0; row < out_rows; ++row, at += width) {
      target.data[at] = made;
      made += 0xC2B2AE35u;
    }
  }
}
