#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "arguments.glsl"

// The same as kernels/arithmetic_fp16.cl, which explains it.
#define NUMBER float16_t
#define VECTOR_2 f16vec2
#define VECTOR_4 f16vec4
#define NUMBER_OF(low, high) float16_t(uintBitsToFloat(low))
#define WORD_OF(number) floatBitsToUint(float(number))
#define FLOATING
#include "arithmetic.glsl"
