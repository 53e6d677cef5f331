#version 460
#extension GL_GOOGLE_include_directive : require
#include "arguments.glsl"

// The same as kernels/arithmetic_fp64.cl, which explains it.
#define NUMBER double
#define VECTOR_2 dvec2
#define VECTOR_4 dvec4
#define NUMBER_OF(low, high) packDouble2x32(uvec2(low, high))
#define WORD_OF(number) (unpackDouble2x32(number).x ^ unpackDouble2x32(number).y)
#define FLOATING
#include "arithmetic.glsl"
