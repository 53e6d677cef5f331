#version 460
#extension GL_GOOGLE_include_directive : require
#include "arguments.glsl"
#include "../kernels/steps.h"

// The same as kernels/chase_constant.cl, which explains it.
// Words of a uniform block lie in vectors of four; the chain's lines begin at whole vectors.
layout(set = 0, binding = CONSTANT_BINDING) uniform Next { uvec4 data[4096]; } next;
BUFFER(1, Cursor, cursor, uint)
layout(push_constant) uniform Arguments {
  BUFFER_ARGUMENT(Cursor, cursor)
  uint trips;
  uint start;
};

#define STEP at = next.data[at >> 2].x;

void main() {
  uint at = start;
  MAKE_WALK_TRIPS
  if (gl_GlobalInvocationID.x != 0) return;
  cursor.data[0] = at;
  cursor.data[1] = trip;
}
