#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "arguments.glsl"
#include "stream.glsl"

// The same as kernels/roofline.cl, which explains it; all rows of a block are at once in registers. If BETWEEN, a trip
// loads the two rows of the next one between its rounds: on a CPU a load of all items is some hundred instructions, and
// its core looks no further ahead than that, so that it would make loads and rounds in turn.
layout(constant_id = 4) const uint UNROLL = 1;
layout(constant_id = 5) const uint PAIRED = 1;
layout(constant_id = 6) const uint LOOPED = 1;
layout(constant_id = 8) const uint BETWEEN = 0;
READ_ONLY_VECTORS(0, A, a)
BUFFER(1, Sums, sums, uint)
layout(push_constant) uniform Arguments {
  BUFFER_ARGUMENT(A, a)
  BUFFER_ARGUMENT(Sums, sums)
  WALK_ARGUMENTS
  uint loops;
  uint computing;
  uint plain;
  uint first_word;
  uint second_word;
};

#define EACH_PAIR(DO)                          \
  DO(0, 1)                                     \
  if (IN_FLIGHT > 2) { DO(2, 3) }              \
  if (IN_FLIGHT > 4) { DO(4, 5) DO(6, 7) }     \
  if (IN_FLIGHT > 8) { DO(8, 9) DO(10, 11) DO(12, 13) DO(14, 15) }
#define LOAD(k) value##k = uintBitsToFloat(a.data[at + k * VECTOR_STEP]);
#define STEP_X(x, y)                                                              \
  value##x = PAIRED != 0 ? fma(value##y, vec4(first), value##x) : fma(value##x, vec4(first), vec4(second));
#define STEP_Y(x, y)                                                              \
  value##y = PAIRED != 0 ? fma(value##x, vec4(second), value##y) : fma(value##y, vec4(first), vec4(second));
#define JOINING_Y(x, y)                                                           \
  value##y = PAIRED != 0 ? fma(value##x, vec4(second), value##y) : fma(value##y, vec4(first), value##x);
#define ADD_BOTH(x, y) all += floatBitsToUint(value##x) + floatBitsToUint(value##y);
#define ADD_LAST(x, y) all += floatBitsToUint(value##y);
#define LOAD_NEXT(k) next##k = uintBitsToFloat(a.data[at + k * VECTOR_STEP]);
// Unrolled whatever it is: a driver that keeps count of the trips of loops would count these too.
#define ROUNDS_AND(EARLY, LATE)                              \
  [[unroll]] for (uint unit = 0; unit < UNROLL; ++unit) {    \
    EACH_PAIR(STEP_X)                                        \
    if (unit + 1 < UNROLL) {                                 \
      EACH_PAIR(STEP_Y)                                      \
    } else {                                                 \
      EACH_PAIR(JOINING_Y)                                   \
    }                                                        \
    if (unit == UNROLL / 4) { EARLY }                        \
    if (unit == 3 * UNROLL / 4) { LATE }                     \
  }
#define ROUNDS ROUNDS_AND(, )

void main() {
  const float first = uintBitsToFloat(first_word);
  const float second = uintBitsToFloat(second_word);
  uvec4 all = uvec4(0);
  uint position = FIRST_POSITION;
  vec4 value0, value1, value2, value3, value4, value5, value6, value7;
  vec4 value8, value9, value10, value11, value12, value13, value14, value15;
  for (uint done = 0; done < trips; done += computing + plain) {
    if (UNROLL > 0 && BETWEEN != 0) {
      uint at = VECTOR_AT(position);
      vec4 next0, next1;
      LOAD_NEXT(0)
      LOAD_NEXT(1)
      for (uint trip = 0; trip < computing; ++trip) {
        value0 = next0;
        value1 = next1;
        position = AFTER(position);
        at = VECTOR_AT(position);
        ROUNDS_AND(LOAD_NEXT(0), LOAD_NEXT(1))
        EACH_PAIR(ADD_LAST)
      }
    } else if (UNROLL > 0) {
      for (uint trip = 0; trip < computing; ++trip) {
        const uint at = VECTOR_AT(position);
        EACH(LOAD)
        if (LOOPED != 0) {
          uint loop = 0;
          do {
            ROUNDS
          } while (++loop < loops);
        } else {
          ROUNDS
        }
        EACH_PAIR(ADD_LAST)
        position = AFTER(position);
      }
    }
    for (uint trip = 0; trip < plain; ++trip) {
      const uint at = VECTOR_AT(position);
      EACH(LOAD)
      EACH_PAIR(ADD_BOTH)
      position = AFTER(position);
    }
  }
  SUM_UP
  PUT_SUM
}
