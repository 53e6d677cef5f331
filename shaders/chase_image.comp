#version 460
#extension GL_GOOGLE_include_directive : require
#include "arguments.glsl"
#include "../kernels/steps.h"

// The same as kernels/chase_image.cl, which explains it.
layout(set = 0, binding = TEXELS_BINDING) uniform usamplerBuffer next;
BUFFER(1, Cursor, cursor, uint)
layout(push_constant) uniform Arguments {
  BUFFER_ARGUMENT(Cursor, cursor)
  uint trips;
};

#define STEP at = texelFetch(next, int(at)).x;

void main() {
  const uint item = gl_GlobalInvocationID.x;
  LEAVE_UNLESS_FIRST
  uint at = cursor.data[item];
  MAKE_WALK_TRIPS
  cursor.data[item] = at;
  cursor.data[item + 1] = trip;
}
