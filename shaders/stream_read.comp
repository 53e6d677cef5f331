#version 460
#extension GL_GOOGLE_include_directive : require
#include "arguments.glsl"
#include "stream.glsl"

// The same as kernels/stream_read.cl, which explains it.
READ_ONLY_VECTORS(0, A, a)
BUFFER(1, Sums, sums, uint)
layout(push_constant) uniform Arguments {
  BUFFER_ARGUMENT(A, a)
  BUFFER_ARGUMENT(Sums, sums)
  WALK_ARGUMENTS
};

#define READ(at) a.data[at]

void main() {
  ADD_UP_ALL_TRIPS(VECTOR_AT)
}
