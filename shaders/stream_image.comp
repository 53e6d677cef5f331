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

#define READ(at) texelFetch(a, int(at))

void main() {
  ADD_UP_ALL_TRIPS(VECTOR_AT)
}
