#version 460
#extension GL_GOOGLE_include_directive : require
#include "arguments.glsl"
#include "stream.glsl"

// The same as kernels/stream_add_dialled.cl, which explains it.
READ_ONLY_VECTORS(0, A, a)
READ_ONLY_VECTORS(1, B, b)
WRITTEN_VECTORS(2, C, c)
layout(push_constant) uniform Arguments {
  BUFFER_ARGUMENT(A, a)
  BUFFER_ARGUMENT(B, b)
  BUFFER_ARGUMENT(C, c)
  WALK_ARGUMENTS
  uint salt;
  uint rounds;
  uint extra;
  uint factor;
  uint addend;
};

#define LOAD(k) value##k = a.data[at + k * VECTOR_STEP] + b.data[at + k * VECTOR_STEP] + salt;
#define STEP(k) value##k = value##k * factor + addend;
#define STORE(k) c.data[at + k * VECTOR_STEP] = value##k;

void main() {
  DECLARE_VALUES
  uint position = FIRST_POSITION;
  for (uint trip = 0; trip < trips; ++trip) {
    const uint at = VECTOR_AT(position);
    EACH(LOAD)
    const uint rounds_now = rounds + (trip * extra % 64 < extra ? 1 : 0);
    for (uint round = 0; round < rounds_now; ++round) {
      EACH(STEP)
      EACH(STEP)
      EACH(STEP)
      EACH(STEP)
    }
    EACH(STORE)
    position = AFTER(position);
  }
}
