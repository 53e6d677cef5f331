#version 460
#extension GL_GOOGLE_include_directive : require
#include "arguments.glsl"
#include "../kernels/steps.h"
#define OFFSET_SHIFT_ID 1
#include "offsets.glsl"

// The same as kernels/independent_chase.cl, which explains it.
BUFFER(0, Lines, lines, uint)
BUFFER(1, Cursor, cursor, uint)
layout(push_constant) uniform Arguments {
  BUFFER_ARGUMENT(Lines, lines)
  BUFFER_ARGUMENT(Cursor, cursor)
  uint trips;
  uint line_count;
  uint line_words;
};

#define STEP                                                             \
  ++counter;                                                             \
  umulExtended((word ^ counter) * 0x9E3779B1u, line_count, line, unused); \
  word = WORD_AT(lines, line * line_words);

void main() {
  const uint item = gl_GlobalInvocationID.x;
  LEAVE_UNLESS_FIRST
  uint word = cursor.data[item];
  uint counter = cursor.data[item + 1];
  uint line, unused;
  MAKE_WALK_TRIPS
  cursor.data[item] = word;
  cursor.data[item + 1] = counter;
  cursor.data[item + 2] = trip;
}
