#version 460
#extension GL_GOOGLE_include_directive : require
#include "arguments.glsl"
#include "../kernels/steps.h"

// The same as kernels/chase_local.cl, which explains it.
BUFFER(0, Next, next, uint)
BUFFER(1, Cursor, cursor, uint)
layout(push_constant) uniform Arguments {
  BUFFER_ARGUMENT(Next, next)
  BUFFER_ARGUMENT(Cursor, cursor)
  uint trips;
  uint words;
};

shared uint chain[4096];

#define STEP at = chain[at];

void main() {
  for (uint word = gl_LocalInvocationID.x; word < words; word += gl_WorkGroupSize.x) chain[word] = next.data[word];
  barrier();
  const uint item = gl_GlobalInvocationID.x;
  LEAVE_UNLESS_FIRST
  uint at = cursor.data[item];
  MAKE_WALK_TRIPS
  cursor.data[item] = at;
  cursor.data[item + 1] = trip;
}
