// Arithmetic in 8-bit integers; kernels/arithmetic.h explains it. They are unsigned, whose overflow is defined.
#define ARITHMETIC arithmetic_int8
#define NUMBER uchar
#define NUMBER_OF(low, high) (uchar)(low)
#define NUMBERS_OF(low, high) OF_WIDTH(convert_, uchar)(low)
#define WORDS_OF(vector) OF_WIDTH(convert_, uint)(vector)
#include "arithmetic.h"
