#version 460
#extension GL_GOOGLE_include_directive : require
#include "arguments.glsl"
#include "../kernels/steps.h"

// The same as kernels/chase_awake.cl, which explains it.
BUFFER(0, Next, next, uint)
BUFFER(1, Cursor, cursor, uint)
READ_ONLY_BUFFER(2, Stream, stream, uint)
layout(push_constant) uniform Arguments {
  BUFFER_ARGUMENT(Next, next)
  BUFFER_ARGUMENT(Cursor, cursor)
  BUFFER_ARGUMENT(Stream, stream)
  uint trips;
  uint launch;
  uint rows;
  uint most_rounds;
};

#define STEP at = next.data[at];
#define READ_ROW                                                                \
  sum += stream.data[row * gl_WorkGroupSize.x + gl_LocalInvocationID.x];        \
  row = (row + streams) % rows;

void main() {
  const uint item = gl_GlobalInvocationID.x;
  const uint group = gl_WorkGroupID.x;
  if (group == 0) {
    if (item != 0) return;
    uint at = cursor.data[item];
    MAKE_TRIPS
    cursor.data[item] = at;
    cursor.data[item + 1] = trip;
    atomicExchange(cursor.data[2], launch);
    return;
  }
  const uint streams = gl_NumWorkGroups.x - 1;
  uint row = (launch * 7919 + group) % rows;
  uint sum = 0;
  uint rounds = 0;
  for (; rounds < most_rounds && atomicOr(cursor.data[2], 0) != launch; ++rounds) {
    READ_ROW READ_ROW READ_ROW READ_ROW READ_ROW READ_ROW READ_ROW READ_ROW
  }
  atomicXor(cursor.data[3], sum);
  if (gl_LocalInvocationID.x == 0) cursor.data[3 + group] = rounds;
}
