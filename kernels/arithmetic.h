// Arithmetic of one number type: what every kernels/arithmetic_TYPE.cl does. Such a file defines ARITHMETIC, the
// kernel's name; NUMBER; NUMBER_OF(low, high), a number from two words, and NUMBERS_OF, a vector from two of words;
// WORDS_OF(vector), words that hold all that tells its numbers from others; FLOATING where they are no integers.
// An accumulator is a chain of steps each of which needs the one before. PAIRED, it is two vectors x, y: a step of fused
// multiply-adds is x = x + y * first, the next one y = y + x * second, a rotation; additions rotate likewise. Else it is x
// alone, and there are twice as many chains in as many registers, of which a CPU has few: x = x * x + first where numbers
// are FLOATING, which never settles, and x = x * first + second of integers. Multiplications and functions go to and fro on
// x alone. No chain ends at a value or leaves the type's range. The multipliers are arguments, and where chains begin comes
// from memory, so that nothing can be folded.
// results: for each item a word that tells every accumulator, and the trips that were made with `salt` added.
// first, second: two words each. A trip makes 2 * UNROLL steps of each accumulator.
#define FMA 0
#define ADD 1
#define MULTIPLY 2
#define RECIPROCAL 3
#define SQUARE_ROOT 4
#define EXPONENTIAL 5
#define SINE 6

#define JOIN(left, right) left##right
#define JOINED(left, right) JOIN(left, right)

#define EACH_1(DO) DO(0)
#define EACH_2(DO) EACH_1(DO) DO(1)
#define EACH_3(DO) EACH_2(DO) DO(2)
#define EACH_4(DO) EACH_3(DO) DO(3)
#define EACH_5(DO) EACH_4(DO) DO(4)
#define EACH_6(DO) EACH_5(DO) DO(5)
#define EACH_7(DO) EACH_6(DO) DO(6)
#define EACH_8(DO) EACH_7(DO) DO(7)
#define EACH_10(DO) EACH_8(DO) DO(8) DO(9)
#define EACH_12(DO) EACH_10(DO) DO(10) DO(11)
#define EACH_14(DO) EACH_12(DO) DO(12) DO(13)
#define EACH_16(DO) EACH_14(DO) DO(14) DO(15)
#define EACH JOINED(EACH_, ACCUMULATORS)

// A function, such as convert_, to a type of this width.
#define THREE(left, middle, right) left##middle##right
#define THREE_JOINED(left, middle, right) THREE(left, middle, right)
#if WIDTH == 1
#define VECTOR NUMBER
#define OF_WIDTH(function, type) THREE_JOINED(function, type, )
#else
#define VECTOR JOINED(NUMBER, WIDTH)
#define OF_WIDTH(function, type) THREE_JOINED(function, type, WIDTH)
#endif

// Sixteen chains begin differently; which of them an item has depends on the dispatch, so that what an earlier one left
// is noticed. The sixteen stand twice, so that a vector of them lies side by side: low and high words of x, then of y.
#if WIDTH == 1
#define WORDS_AT(place) starts[place]
#define WORDS uint
#else
#define WORDS_AT(place) JOINED(vload, WIDTH)(0, starts + (place))
#define WORDS JOINED(uint, WIDTH)
#endif
#define BEGINNING(k, of) NUMBERS_OF(WORDS_AT(of + ((begin + k * WIDTH) & 15)), WORDS_AT(of + 32 + ((begin + k * WIDTH) & 15)))
#define BEGIN_X(k) VECTOR x##k = BEGINNING(k, 0);
#define BEGIN_Y(k) VECTOR y##k = BEGINNING(k, 64);

// A word for each component, then one for all.
#define TELL(v) told = told * 0x01000193u + WORDS_OF(v);
#define ALL_1(DO, v) DO(v)
#define ALL_2(DO, v) ALL_1(DO, v.lo) ALL_1(DO, v.hi)
#define ALL_4(DO, v) ALL_2(DO, v.lo) ALL_2(DO, v.hi)
#define ALL_8(DO, v) ALL_4(DO, v.lo) ALL_4(DO, v.hi)
#define ALL_16(DO, v) ALL_8(DO, v.lo) ALL_8(DO, v.hi)
#define ALL JOINED(ALL_, WIDTH)
#define TELL_COMPONENT(v) check = check * 0x01000193u + v;
#define ADD_COMPONENT(v) sum += v;

#if OPERATION == FMA
#ifndef MULTIPLY_ADD
#define MULTIPLY_ADD(left, right, addend) ((left) * (right) + (addend))
#endif
#if PAIRED
#define STEP_X(k) x##k = MULTIPLY_ADD(y##k, first, x##k);
#define STEP_Y(k) y##k = MULTIPLY_ADD(x##k, second, y##k);
#else
#ifdef FLOATING
#define STEP_X(k) x##k = MULTIPLY_ADD(x##k, x##k, first);
#else
#define STEP_X(k) x##k = MULTIPLY_ADD(x##k, first, second);
#endif
#define STEP_Y(k) STEP_X(k)
#endif
#elif OPERATION == ADD
#define STEP_X(k) x##k = x##k + y##k;
#ifdef FLOATING
#define STEP_Y(k) y##k = y##k - x##k;
#else
#define STEP_Y(k) y##k = y##k + x##k;
#endif
#elif OPERATION == MULTIPLY
#define STEP_X(k) x##k = x##k * first;
#define STEP_Y(k) x##k = x##k * second;
#else
#if OPERATION == RECIPROCAL
#define FUNCTION(x, addend) native_recip((x) + (addend))
#elif OPERATION == SQUARE_ROOT
#define FUNCTION(x, addend) native_sqrt((x) + (addend))
#elif OPERATION == EXPONENTIAL
#define FUNCTION(x, addend) native_exp2((addend) - (x))
#else
#define FUNCTION(x, addend) native_sin((x) + (addend))
#endif
#define STEP_X(k) x##k = FUNCTION(x##k, first);
#define STEP_Y(k) x##k = FUNCTION(x##k, second);
#endif

// All accumulators make a step before any makes the next.
#define UNIT EACH(STEP_X) EACH(STEP_Y)
#define UNITS_1 UNIT
#define UNITS_2 UNITS_1 UNITS_1
#define UNITS_4 UNITS_2 UNITS_2
#define UNITS_8 UNITS_4 UNITS_4
#define UNITS_16 UNITS_8 UNITS_8
#define UNITS_32 UNITS_16 UNITS_16
#define PASTED(left, right) left##right
#define UNROLLED(times) PASTED(UNITS_, times)

#if PAIRED
#define BEGIN(k) BEGIN_X(k) BEGIN_Y(k)
#define LEAVE(k) TELL(x##k) TELL(y##k)
#else
#define BEGIN(k) BEGIN_X(k)
#define LEAVE(k) TELL(x##k)
#endif
#define LEAVE_SUM(k) sums += x##k;

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void ARITHMETIC(global const uint* restrict starts, global uint* restrict results, uint trips, uint salt,
                       uint first_low, uint first_high, uint second_low, uint second_high) {
  const uint item = get_global_id(0);
  const VECTOR first = (VECTOR)(NUMBER_OF(first_low, first_high));
  const VECTOR second = (VECTOR)(NUMBER_OF(second_low, second_high));
  const uint begin = item + salt;
  EACH(BEGIN)
  uint trip = 0;
  for (; trip < trips; ++trip) {
    UNROLLED(UNROLL)
  }
#if OPERATION < RECIPROCAL
  WORDS told = 0;
  EACH(LEAVE)
  uint check = 0;
  ALL(TELL_COMPONENT, told)
  results[2 * item] = check;
#else
  VECTOR sums = 0;
  EACH(LEAVE_SUM)
  float sum = 0;
  ALL(ADD_COMPONENT, sums)
  results[2 * item] = as_uint(sum);
#endif
  results[2 * item + 1] = trip + salt;
}
