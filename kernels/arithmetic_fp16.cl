// Arithmetic in half precision; kernels/arithmetic.h explains it. Words hold numbers as floats. A multiplication and an
// addition may be fused, as not every driver that computes in halves has their functions.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT ON
#define ARITHMETIC arithmetic_fp16
#define NUMBER half
#define FLOATING
#define NUMBER_OF(low, high) (half)(as_float(low))
#define NUMBERS_OF(low, high) OF_WIDTH(convert_, half)(OF_WIDTH(as_, float)(low))
#define WORDS_OF(vector) OF_WIDTH(as_, uint)(OF_WIDTH(convert_, float)(vector))
#include "arithmetic.h"
