// The same as kernels/arithmetic.h, which explains it. A shader defines NUMBER, VECTOR_2 and VECTOR_4, NUMBER_OF,
// WORD_OF, FLOATING or not, SINGLE where functions are computed, and MULTIPLY_ADD where that is no multiplication.
#extension GL_EXT_control_flow_attributes : require
layout(constant_id = 1) const uint OPERATION = 0;
layout(constant_id = 2) const uint ACCUMULATORS = 1;
layout(constant_id = 3) const uint UNROLL = 1;
layout(constant_id = 4) const uint WIDTH = 1;
layout(constant_id = 5) const uint PAIRED = 1;
const uint FMA = 0;
const uint ADD = 1;
const uint MULTIPLY = 2;
const uint RECIPROCAL = 3;
const uint SQUARE_ROOT = 4;
const uint EXPONENTIAL = 5;

READ_ONLY_BUFFER(0, Starts, starts, uint)
BUFFER(1, Results, results, uint)
layout(push_constant) uniform Arguments {
  BUFFER_ARGUMENT(Starts, starts)
  BUFFER_ARGUMENT(Results, results)
  uint trips;
  uint salt;
  uint first_low;
  uint first_high;
  uint second_low;
  uint second_high;
};

// Unrolled by hand, so that no accumulator stays in an array.
#define EACH(DO)                   \
  DO(0)                            \
  if (ACCUMULATORS > 1) { DO(1) }  \
  if (ACCUMULATORS > 2) { DO(2) }  \
  if (ACCUMULATORS > 3) { DO(3) }  \
  if (ACCUMULATORS > 4) { DO(4) }  \
  if (ACCUMULATORS > 5) { DO(5) }  \
  if (ACCUMULATORS > 6) { DO(6) }  \
  if (ACCUMULATORS > 7) { DO(7) }  \
  if (ACCUMULATORS > 8) { DO(8) DO(9) }    \
  if (ACCUMULATORS > 10) { DO(10) DO(11) } \
  if (ACCUMULATORS > 12) { DO(12) DO(13) } \
  if (ACCUMULATORS > 14) { DO(14) DO(15) }

#ifndef MULTIPLY_ADD
#ifdef FLOATING
#define MULTIPLY_ADD(left, right, addend) fma(left, right, addend)
#else
#define MULTIPLY_ADD(left, right, addend) ((left) * (right) + (addend))
#endif
#endif

#define BEGIN(k)                                     \
  x##k = beginning(zero, begin + k * COMPONENTS, 0); \
  if (PAIRED != 0) y##k = beginning(zero, begin + k * COMPONENTS, 64);
#define STEP_X(k) x##k = PAIRED != 0 ? turned_x(x##k, y##k, first) : stepped(x##k, first, first, second);
#define STEP_Y(k)                                  \
  if (PAIRED != 0) {                               \
    y##k = turned_y(x##k, y##k, second);           \
  } else {                                         \
    x##k = stepped(x##k, second, first, second);   \
  }
#define TELL(v) told = told * 0x01000193u + WORDS_OF(v);
#define LEAVE(k) \
  TELL(x##k)     \
  if (PAIRED != 0) { TELL(y##k) }
#define LEAVE_SUM(k) sums += x##k;
#define TELL_COMPONENT(v) check = check * 0x01000193u + v;
#define ADD_COMPONENT(v) sum += float(v);
NUMBER number_of(uint low, uint high) { return NUMBER_OF(low, high); }
NUMBER number_at(uint place) { return NUMBER_OF(starts.data[place], starts.data[place + 32]); }
uint word_of(NUMBER number) { return WORD_OF(number); }

#define VECTOR NUMBER
#define WORDS uint
#define COMPONENTS 1
#define VECTOR_AT(place) number_at(place)
#define WORDS_OF(v) word_of(v)
#define ALL(DO, v) DO(v)
#include "arithmetic_body.glsl"
#undef VECTOR
#undef WORDS
#undef COMPONENTS
#undef VECTOR_AT
#undef WORDS_OF
#undef ALL

#define VECTOR VECTOR_2
#define WORDS uvec2
#define COMPONENTS 2
#define VECTOR_AT(place) VECTOR_2(number_at(place), number_at(place + 1))
#define WORDS_OF(v) uvec2(word_of(v.x), word_of(v.y))
#define ALL(DO, v) DO(v.x) DO(v.y)
#include "arithmetic_body.glsl"
#undef VECTOR
#undef WORDS
#undef COMPONENTS
#undef VECTOR_AT
#undef WORDS_OF
#undef ALL

#define VECTOR VECTOR_4
#define WORDS uvec4
#define COMPONENTS 4
#define VECTOR_AT(place) VECTOR_4(number_at(place), number_at(place + 1), number_at(place + 2), number_at(place + 3))
#define WORDS_OF(v) uvec4(word_of(v.x), word_of(v.y), word_of(v.z), word_of(v.w))
#define ALL(DO, v) DO(v.x) DO(v.y) DO(v.z) DO(v.w)
#include "arithmetic_body.glsl"

void main() {
  if (WIDTH == 1) {
    work(NUMBER(0));
  } else if (WIDTH == 2) {
    work(VECTOR_2(0));
  } else {
    work(VECTOR_4(0));
  }
}
