#version 460
#extension GL_GOOGLE_include_directive : require
#include "arguments.glsl"
#include "stream.glsl"

// The same as kernels/stream_copy.cl, which explains it.
READ_ONLY_VECTORS(0, A, a)
WRITTEN_VECTORS(1, C, c)
layout(push_constant) uniform Arguments {
  BUFFER_ARGUMENT(A, a)
  BUFFER_ARGUMENT(C, c)
  WALK_ARGUMENTS
  uint shift;
};

#define LOAD(k) value##k = a.data[from + k * VECTOR_STEP];
#define STORE(k) c.data[at + k * VECTOR_STEP] = value##k;

void main() {
  WRITE_ON_ALL_TRIPS
}
