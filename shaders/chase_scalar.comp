#version 460
#extension GL_GOOGLE_include_directive : require
#include "arguments.glsl"

// The same as kernels/chase_scalar.cl, which explains it.
READ_ONLY_BUFFER(0, Next, next, uint)
BUFFER(1, Cursor, cursor, uint)
layout(push_constant) uniform Arguments {
  BUFFER_ARGUMENT(Next, next)
  BUFFER_ARGUMENT(Cursor, cursor)
  uint trips;
  uint start;
};

#define HOP at = next.data[at];
#define HOPS_4 HOP HOP HOP HOP
#define HOPS_16 HOPS_4 HOPS_4 HOPS_4 HOPS_4
#define HOPS_64 HOPS_16 HOPS_16 HOPS_16 HOPS_16

void main() {
  uint at = start;
  uint trip = 0;
  for (; trip < trips; ++trip) {
    HOPS_64
  }
  if (gl_GlobalInvocationID.x != 0) return;
  cursor.data[0] = at;
  cursor.data[1] = trip;
}
