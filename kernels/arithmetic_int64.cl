// Arithmetic in 64-bit integers; kernels/arithmetic.h explains it. They are unsigned, whose overflow is defined.
#define ARITHMETIC arithmetic_int64
#define NUMBER ulong
#define NUMBER_OF(low, high) ((ulong)(high) << 32 | (low))
#define NUMBERS_OF(low, high) upsample(high, low)
#define WORDS_OF(vector) OF_WIDTH(convert_, uint)((vector) ^ (vector) >> 32)
#include "arithmetic.h"
