#include "stream.h"
// Reads without end, as kernels/stream_read.cl does, and computes with what it reads: rows are numbers, and a round is a
// multiply-add with each of them, two operations a word. PAIRED rows turn, x = x + y * first, then y = y + x * second, as
// in kernels/arithmetic.h; it is the form that some GPUs issue twice at once. Else each is by itself, x = x * first +
// second: twice as many chains in as many registers, of which a CPU has few; but in the last of UNROLL rounds y = y *
// first + x. Either way y tells all that both were, and is added up. Trips that compute, with UNROLL rounds or, if LOOPED,
// `loops` times as many, take turns with trips that do not, `computing` and `plain` of them, whose words are added up as
// they are; both have loops of their own, as a driver without branches would compute for nothing. AT_ONCE rows, an even
// number, are in registers; a block has one or several times as many, so that what a trip costs beside them counts little.
typedef JOINED(float, VECTOR_WORDS) numbers;
#define AS_NUMBERS JOINED(as_float, VECTOR_WORDS)
#define AS_WORDS JOINED(as_uint, VECTOR_WORDS)
#ifdef FP_FAST_FMAF
#define MULTIPLY_ADD(left, right, addend) fma(left, right, addend)
#else
#define MULTIPLY_ADD(left, right, addend) ((left) * (right) + (addend))
#endif

#define PAIRS_2(DO) DO(0, 1)
#define PAIRS_4(DO) PAIRS_2(DO) DO(2, 3)
#define PAIRS_8(DO) PAIRS_4(DO) DO(4, 5) DO(6, 7)
#define PAIRS_16(DO) PAIRS_8(DO) DO(8, 9) DO(10, 11) DO(12, 13) DO(14, 15)
#define PAIRS_AS_WRITTEN(rows) PAIRS_##rows
#define PAIRS_OF(rows) PAIRS_AS_WRITTEN(rows)
#define EACH_PAIR PAIRS_OF(AT_ONCE)

#define LOAD_PAIR(x, y)                               \
  numbers value##x = AS_NUMBERS(from[x * VECTOR_STEP]); \
  numbers value##y = AS_NUMBERS(from[y * VECTOR_STEP]);
#if PAIRED
#define STEP_X(x, y) value##x = MULTIPLY_ADD(value##y, (numbers)(first), value##x);
#define STEP_Y(x, y) value##y = MULTIPLY_ADD(value##x, (numbers)(second), value##y);
#else
#define STEP_X(x, y) value##x = MULTIPLY_ADD(value##x, (numbers)(first), (numbers)(second));
#define STEP_Y(x, y) value##y = MULTIPLY_ADD(value##y, (numbers)(first), (numbers)(second));
#define JOINING_Y(x, y) value##y = MULTIPLY_ADD(value##y, (numbers)(first), value##x);
#endif
// All rows make a step before any makes the next.
#define ROUND EACH_PAIR(STEP_X) EACH_PAIR(STEP_Y)
#if PAIRED
#define LAST_ROUND ROUND
#else
#define LAST_ROUND EACH_PAIR(STEP_X) EACH_PAIR(JOINING_Y)
#endif
#define ROUNDS_1 LAST_ROUND
#define ROUNDS_2 ROUND LAST_ROUND
#define ROUNDS_4 ROUND ROUND ROUNDS_2
#define ROUNDS_8 ROUND ROUND ROUND ROUND ROUNDS_4
#define ROUNDS_16 ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUNDS_8
#define ROUNDS_32 ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUNDS_16
#define ROUNDS JOINED(ROUNDS_, UNROLL)
// Two sums, as one addition a cycle would be all that a core loads.
#define ADD_BOTH(x, y) all_x += AS_WORDS(value##x); all_y += AS_WORDS(value##y);
#define ADD_LAST(x, y) all_y += AS_WORDS(value##y);

// What is unrolled further needs more registers than there are.
#define AS_A_LOOP __attribute__((opencl_unroll_hint(1)))
#define ALL_AT_ONCE __attribute__((opencl_unroll_hint(IN_FLIGHT / AT_ONCE)))

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void roofline(global const vector* restrict a, global uint* restrict sums, WALK_ARGUMENTS, uint loops,
                     uint computing, uint plain, uint first_word, uint second_word) {
  const float first = as_float(first_word);
  const float second = as_float(second_word);
  vector all_x = 0;
  vector all_y = 0;
  uint position = FIRST_POSITION;
  for (uint done = 0; done < trips; done += computing + plain) {
#if UNROLL
    AS_A_LOOP
    for (uint trip = 0; trip < computing; ++trip) {
      // A pointer, so that a CPU's loads have the distances between rows in them and nothing else is computed for each.
      global const vector* from = a + VECTOR_AT(position);
      AS_A_LOOP
      for (uint row = 0; row < IN_FLIGHT; row += AT_ONCE) {
        EACH_PAIR(LOAD_PAIR)
        from += AT_ONCE * VECTOR_STEP;
#if LOOPED
        uint loop = 0;
        AS_A_LOOP
        do { ROUNDS } while (++loop < loops);
#else
        ROUNDS
#endif
        EACH_PAIR(ADD_LAST)
      }
      position = AFTER(position);
    }
#endif
    AS_A_LOOP
    for (uint trip = 0; trip < plain; ++trip) {
      global const vector* from = a + VECTOR_AT(position);
      ALL_AT_ONCE
      for (uint row = 0; row < IN_FLIGHT; row += AT_ONCE) {
        EACH_PAIR(LOAD_PAIR)
        from += AT_ONCE * VECTOR_STEP;
        EACH_PAIR(ADD_BOTH)
      }
      position = AFTER(position);
    }
  }
  const vector all = all_x + all_y;
  const uint* words = (const uint*)&all;
  uint sum = 0;
  for (uint word = 0; word < VECTOR_WORDS; ++word) sum += words[word];
  PUT_SUM
}
