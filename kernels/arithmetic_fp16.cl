// Arithmetic in half precision; kernels/arithmetic.h explains it. Words hold numbers as floats. A driver may compute in
// halves and have none of their functions, as NVIDIA's: a multiplication and an addition are left to be fused, and casts
// convert, which vectors have by their halves.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT ON
#define ARITHMETIC arithmetic_fp16
#define NUMBER half
#define FLOATING
#define NUMBER_OF(low, high) (half)(as_float(low))
#define HALF_1(v) (half)(v)
#define HALF_2(v) (half2)(HALF_1(v.lo), HALF_1(v.hi))
#define HALF_4(v) (half4)(HALF_2(v.lo), HALF_2(v.hi))
#define HALF_8(v) (half8)(HALF_4(v.lo), HALF_4(v.hi))
#define HALF_16(v) (half16)(HALF_8(v.lo), HALF_8(v.hi))
#define FLOAT_1(v) (float)(v)
#define FLOAT_2(v) (float2)(FLOAT_1(v.lo), FLOAT_1(v.hi))
#define FLOAT_4(v) (float4)(FLOAT_2(v.lo), FLOAT_2(v.hi))
#define FLOAT_8(v) (float8)(FLOAT_4(v.lo), FLOAT_4(v.hi))
#define FLOAT_16(v) (float16)(FLOAT_8(v.lo), FLOAT_8(v.hi))
#define NUMBERS_OF(low, high) JOINED(HALF_, WIDTH)(OF_WIDTH(as_, float)(low))
#define WORDS_OF(vector) OF_WIDTH(as_, uint)(JOINED(FLOAT_, WIDTH)(vector))
#include "arithmetic.h"
