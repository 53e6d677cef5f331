#version 460
#extension GL_GOOGLE_include_directive : require
#include "arguments.glsl"
#include "../kernels/steps.h"
#define OFFSET_SHIFT_ID 1
#include "offsets.glsl"

// The same as kernels/chase_scalar.cl, which explains it.
READ_ONLY_BUFFER(0, Next, next, uint)
BUFFER(1, Cursor, cursor, uint)
layout(push_constant) uniform Arguments {
  BUFFER_ARGUMENT(Next, next)
  BUFFER_ARGUMENT(Cursor, cursor)
  uint trips;
  uint start;
};

#define STEP at = READ_ONLY_WORD_AT(next, at);

void main() {
  uint at = start;
  MAKE_WALK_TRIPS
  if (gl_GlobalInvocationID.x != 0) return;
  cursor.data[0] = at;
  cursor.data[1] = trip;
}
