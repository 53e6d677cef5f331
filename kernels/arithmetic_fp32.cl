// Arithmetic in single precision; kernels/arithmetic.h explains it.
#define ARITHMETIC arithmetic_fp32
#define NUMBER float
#define FLOATING
#define NUMBER_OF(low, high) as_float(low)
#define NUMBERS_OF(low, high) OF_WIDTH(as_, float)(low)
#define WORDS_OF(vector) OF_WIDTH(as_, uint)(vector)
#ifdef FP_FAST_FMAF
#define MULTIPLY_ADD(left, right, addend) fma(left, right, addend)
#endif
#include "arithmetic.h"
