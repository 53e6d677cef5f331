// Arithmetic in 16-bit integers; kernels/arithmetic.h explains it. They are unsigned, whose overflow is defined.
#define ARITHMETIC arithmetic_int16
#define NUMBER ushort
#define NUMBER_OF(low, high) (ushort)(low)
#define NUMBERS_OF(low, high) OF_WIDTH(convert_, ushort)(low)
#define WORDS_OF(vector) OF_WIDTH(convert_, uint)(vector)
#include "arithmetic.h"
