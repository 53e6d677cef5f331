#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#include "arguments.glsl"

// The same as kernels/arithmetic_int64.cl, which explains it.
#define NUMBER uint64_t
#define VECTOR_2 u64vec2
#define VECTOR_4 u64vec4
#define NUMBER_OF(low, high) ((uint64_t(high) << 32) | uint64_t(low))
#define WORD_OF(number) (uint(number) ^ uint((number) >> 32))

#include "arithmetic.glsl"
