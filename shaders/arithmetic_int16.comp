#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#include "arguments.glsl"

// The same as kernels/arithmetic_int16.cl, which explains it.
#define NUMBER uint16_t
#define VECTOR_2 u16vec2
#define VECTOR_4 u16vec4
#define NUMBER_OF(low, high) uint16_t(low)
#define WORD_OF(number) uint(number)

#include "arithmetic.glsl"
