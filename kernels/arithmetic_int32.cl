// Arithmetic in 32-bit integers; kernels/arithmetic.h explains it. They are unsigned, whose overflow is defined.
#define ARITHMETIC arithmetic_int32
#define NUMBER uint
#define NUMBER_OF(low, high) (uint)(low)
#define NUMBERS_OF(low, high) (low)
#define WORDS_OF(vector) (vector)
#include "arithmetic.h"
