#version 460
#extension GL_GOOGLE_include_directive : require
#include "arguments.glsl"
#include "../kernels/steps.h"

// The same as kernels/alu_chain.cl, which explains it.
BUFFER(0, State, state, uint)
layout(push_constant) uniform Arguments {
  BUFFER_ARGUMENT(State, state)
  uint trips;
  uint factor;
  uint addend;
};

#define STEP x = x * factor + addend;

void main() {
  const uint item = gl_GlobalInvocationID.x;
  if (item != 0) return;
  uint x = state.data[item];
  MAKE_ARITHMETIC_TRIPS
  state.data[item] = x;
  state.data[item + 1] = trip;
}
