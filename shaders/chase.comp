#version 460
#extension GL_GOOGLE_include_directive : require
#include "arguments.glsl"
#include "../kernels/steps.h"
#define OFFSET_SHIFT_ID 1
#include "offsets.glsl"

// The same as kernels/chase.cl, which explains it.
BUFFER(0, Next, next, uint)
BUFFER(1, Cursor, cursor, uint)
layout(push_constant) uniform Arguments {
  BUFFER_ARGUMENT(Next, next)
  BUFFER_ARGUMENT(Cursor, cursor)
  uint trips;
};

#define STEP at = WORD_AT(next, at);

void main() {
  const uint item = gl_GlobalInvocationID.x;
  LEAVE_UNLESS_FIRST
  uint at = cursor.data[item];
  MAKE_WALK_TRIPS
  cursor.data[item] = at;
  cursor.data[item + 1] = trip;
}
