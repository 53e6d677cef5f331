#version 460
#extension GL_GOOGLE_include_directive : require
#include "arguments.glsl"
#include "stream.glsl"

// The same as kernels/stream_image.cl, which explains it.
layout(set = 0, binding = TEXELS_BINDING) uniform usamplerBuffer a;
BUFFER(1, Sums, sums, uint)
layout(push_constant) uniform Arguments {
  BUFFER_ARGUMENT(Sums, sums)
  WALK_ARGUMENTS
};

#define CLEAR(k) value##k = uvec4(0);
#define ADD(k) value##k += texelFetch(a, int(at + k * VECTOR_STEP));
#define FOLD(k) all += value##k;

void main() {
  DECLARE
  EACH(CLEAR)
  uint position = FIRST_POSITION;
  for (uint trip = 0; trip < trips; ++trip) {
    const uint at = VECTOR_AT(position);
    EACH(ADD)
    position = AFTER(position);
  }
  uvec4 all = uvec4(0);
  EACH(FOLD)
  sums.data[gl_GlobalInvocationID.x] = all.x + all.y + all.z + all.w;
}
