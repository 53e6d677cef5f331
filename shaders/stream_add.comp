#version 460
#extension GL_GOOGLE_include_directive : require
#include "arguments.glsl"
#include "stream.glsl"

// The same as kernels/stream_add.cl, which explains it.
READ_ONLY_VECTORS(0, A, a)
READ_ONLY_VECTORS(1, B, b)
WRITTEN_VECTORS(2, C, c)
layout(push_constant) uniform Arguments {
  BUFFER_ARGUMENT(A, a)
  BUFFER_ARGUMENT(B, b)
  BUFFER_ARGUMENT(C, c)
  WALK_ARGUMENTS
  uint shift;
};

#define LOAD(k) value##k = a.data[from + k * VECTOR_STEP] + b.data[at + k * VECTOR_STEP];
#define STORE(k) c.data[at + k * VECTOR_STEP] = value##k;

void main() {
  WRITE_ON_ALL_TRIPS
}
