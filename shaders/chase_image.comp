#version 460
#extension GL_GOOGLE_include_directive : require
#include "arguments.glsl"

// The same as kernels/chase_image.cl, which explains it.
layout(set = 0, binding = TEXELS_BINDING) uniform usamplerBuffer next;
BUFFER(1, Cursor, cursor, uint)
layout(push_constant) uniform Arguments {
  BUFFER_ARGUMENT(Cursor, cursor)
  uint trips;
};

#define HOP at = texelFetch(next, int(at)).x;
#define HOPS_4 HOP HOP HOP HOP
#define HOPS_16 HOPS_4 HOPS_4 HOPS_4 HOPS_4
#define HOPS_64 HOPS_16 HOPS_16 HOPS_16 HOPS_16

void main() {
  const uint item = gl_GlobalInvocationID.x;
  if (item != 0) return;
  uint at = cursor.data[item];
  uint trip = 0;
  for (; trip < trips; ++trip) {
    HOPS_64
  }
  cursor.data[item] = at;
  cursor.data[item + 1] = trip;
}
