#version 460
#extension GL_GOOGLE_include_directive : require
#include "arguments.glsl"

// The same as kernels/arithmetic_int32.cl, which explains it.
#define NUMBER uint
#define VECTOR_2 uvec2
#define VECTOR_4 uvec4
#define NUMBER_OF(low, high) (low)
#define WORD_OF(number) (number)

#include "arithmetic.glsl"
