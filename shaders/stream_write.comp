#version 460
#extension GL_GOOGLE_include_directive : require
#include "arguments.glsl"
#include "stream.glsl"

// The same as kernels/stream_write.cl, which explains it.
WRITTEN_VECTORS(0, C, c)
layout(push_constant) uniform Arguments {
  BUFFER_ARGUMENT(C, c)
  WALK_ARGUMENTS
  uint turn;
};

const uint growth = 0x9E3779B9u;

uvec4 noise_of(uint number) {
  const uvec4 mixed = (number * 4 + uvec4(1, 2, 3, 4)) * 0x85EBCA6Bu;
  return (mixed ^ (mixed >> 15)) * 0xC2B2AE35u;
}

#define BEGIN(k) value##k = noise_of(gl_GlobalInvocationID.x * IN_FLIGHT + k) + turn * growth;
#define STORE(k) c.data[at + k * VECTOR_STEP] = value##k;
#define GROW(k) value##k += growth;

void main() {
  DECLARE_VALUES
  EACH(BEGIN)
  uint position = FIRST_POSITION;
  for (uint trip = 0; trip < trips; ++trip) {
    const uint at = VECTOR_AT(position);
    EACH(STORE)
    EACH(GROW)
    position = AFTER(position);
  }
}
