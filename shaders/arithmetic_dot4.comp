#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_spirv_intrinsics : require
#include "arguments.glsl"

// The same as kernels/arithmetic_dot4.cl, which explains it. The product is SPIR-V's OpSDot of what is packed in words
// (its last operand, 0), for which not every glslang has a name.
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6019, 6018], id = 4450)
int dot_of_bytes(int left, int right, spirv_literal int form);

int multiply_add(int left, int right, int addend) { return dot_of_bytes(left, right, 0) + addend; }
ivec2 multiply_add(ivec2 left, ivec2 right, ivec2 addend) {
  return ivec2(multiply_add(left.x, right.x, addend.x), multiply_add(left.y, right.y, addend.y));
}
ivec4 multiply_add(ivec4 left, ivec4 right, ivec4 addend) {
  return ivec4(multiply_add(left.xy, right.xy, addend.xy), multiply_add(left.zw, right.zw, addend.zw));
}

#define NUMBER int
#define VECTOR_2 ivec2
#define VECTOR_4 ivec4
#define NUMBER_OF(low, high) int(low)
#define WORD_OF(number) uint(number)
#define MULTIPLY_ADD(left, right, addend) multiply_add(left, right, addend)
#include "arithmetic.glsl"
