// Arithmetic in double precision; kernels/arithmetic.h explains it.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define ARITHMETIC arithmetic_fp64
#define NUMBER double
#define FLOATING
#define NUMBER_OF(low, high) as_double((ulong)(high) << 32 | (low))
#define NUMBERS_OF(low, high) OF_WIDTH(as_, double)(upsample(high, low))
#define WORDS_OF(vector) OF_WIDTH(convert_, uint)(OF_WIDTH(as_, ulong)(vector) ^ OF_WIDTH(as_, ulong)(vector) >> 32)
#ifdef FP_FAST_FMA
#define MULTIPLY_ADD(left, right, addend) fma(left, right, addend)
#endif
#include "arithmetic.h"
