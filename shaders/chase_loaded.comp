#version 460
#extension GL_GOOGLE_include_directive : require
#include "arguments.glsl"
#define STREAMING_GROUP (GROUP - 1)
#include "stream.glsl"
#include "../kernels/steps.h"
#define OFFSET_SHIFT_ID 4
#include "offsets.glsl"

// The same as kernels/chase_loaded.cl, which explains it.
BUFFER(0, Next, next, uint)
BUFFER(1, Cursor, cursor, uint)
READ_ONLY_VECTORS(2, Stream, stream)
layout(push_constant) uniform Arguments {
  BUFFER_ARGUMENT(Next, next)
  BUFFER_ARGUMENT(Cursor, cursor)
  BUFFER_ARGUMENT(Stream, stream)
  WALK_ARGUMENTS
  uint launch;
  uint most_rounds;
  uint delay;
  uint factor;
  uint addend;
};

shared uint signs[2];

#define STEP at = WORD_AT(next, at);
#define WAIT position = position * factor + addend;
#define WAIT_8 WAIT WAIT WAIT WAIT WAIT WAIT WAIT WAIT
#define READ(at) stream.data[at]
#define BLOCK ADD_BLOCK(VECTOR_AT)

void main() {
  const uint item = gl_GlobalInvocationID.x;
  const uint local_item = gl_LocalInvocationID.x;
  if (gl_WorkGroupID.x == 0) {
    LEAVE_UNLESS_FIRST
    uint at = cursor.data[item];
    MAKE_WALK_TRIPS
    cursor.data[item] = at;
    cursor.data[item + 1] = trip;
    atomicExchange(cursor.data[2], launch);
    return;
  }
  BEGIN_SUM
  uint position = FIRST_POSITION;
  uint rounds = 0;
  if (local_item == 0) signs[1] = atomicOr(cursor.data[2], 0);
  barrier();
  uint seen = signs[1];
  while (seen != launch && rounds < most_rounds) {
    if (local_item == 0) signs[rounds & 1] = atomicOr(cursor.data[2], 0);
    BLOCK BLOCK BLOCK BLOCK
    barrier();
    seen = signs[rounds & 1];
    for (uint wait = 0; wait < delay; ++wait) { WAIT_8 WAIT_8 WAIT_8 WAIT_8 }
    ++rounds;
  }
  SUM_UP
  atomicAdd(cursor.data[4 + 2 * STREAMING_GROUP], sum);
  if (local_item == 0) cursor.data[3 + 2 * STREAMING_GROUP] = rounds;
}
