#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#include "arguments.glsl"

// The same as kernels/arithmetic_int8.cl, which explains it.
#define NUMBER uint8_t
#define VECTOR_2 u8vec2
#define VECTOR_4 u8vec4
#define NUMBER_OF(low, high) uint8_t(low)
#define WORD_OF(number) uint(number)

#include "arithmetic.glsl"
