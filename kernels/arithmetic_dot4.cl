// The dot product of four signed bytes by four, added to a 32-bit integer; kernels/arithmetic.h explains the rest. What
// is added to is the next step's four bytes. There is no rule for vectors: the product takes them by their halves.
#define ARITHMETIC arithmetic_dot4
#define NUMBER uint
#define NUMBER_OF(low, high) (uint)(low)
#define NUMBERS_OF(low, high) (low)
#define WORDS_OF(vector) (vector)
// AMD's compiler leaves a product and an addition two instructions, although one does both.
#ifdef __AMDGCN__
#if __has_builtin(__builtin_amdgcn_sudot4)
#define DOT_1(left, right, addend) as_uint(__builtin_amdgcn_sudot4(true, left, true, right, addend, false))
#elif __has_builtin(__builtin_amdgcn_sdot4)
#define DOT_1(left, right, addend) as_uint(__builtin_amdgcn_sdot4(left, right, addend, false))
#endif
#endif
#ifndef DOT_1
#define DOT_1(left, right, addend) (as_uint(dot_4x8packed_ss_int(left, right)) + addend)
#endif
#define DOT_2(left, right, addend) \
  (uint2)(DOT_1(left.lo, right.lo, addend.lo), DOT_1(left.hi, right.hi, addend.hi))
#define DOT_4(left, right, addend) \
  (uint4)(DOT_2(left.lo, right.lo, addend.lo), DOT_2(left.hi, right.hi, addend.hi))
#define DOT_8(left, right, addend) \
  (uint8)(DOT_4(left.lo, right.lo, addend.lo), DOT_4(left.hi, right.hi, addend.hi))
#define DOT_16(left, right, addend) \
  (uint16)(DOT_8(left.lo, right.lo, addend.lo), DOT_8(left.hi, right.hi, addend.hi))
#define MULTIPLY_ADD(left, right, addend) JOINED(DOT_, WIDTH)(left, right, addend)
#include "arithmetic.h"
