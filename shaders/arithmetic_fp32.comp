#version 460
#extension GL_GOOGLE_include_directive : require
#include "arguments.glsl"

// The same as kernels/arithmetic_fp32.cl, which explains it.
#define NUMBER float
#define VECTOR_2 vec2
#define VECTOR_4 vec4
#define NUMBER_OF(low, high) uintBitsToFloat(low)
#define WORD_OF(number) floatBitsToUint(number)
#define FLOATING
#define SINGLE
#include "arithmetic.glsl"
