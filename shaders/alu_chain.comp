#version 460
#extension GL_GOOGLE_include_directive : require
#include "arguments.glsl"

// The same as kernels/alu_chain.cl, which explains it.
BUFFER(0, State, state, uint)
layout(push_constant) uniform Arguments {
  BUFFER_ARGUMENT(State, state)
  uint trips;
  uint factor;
  uint addend;
};

#define STEP x = x * factor + addend;
#define STEPS_4 STEP STEP STEP STEP
#define STEPS_16 STEPS_4 STEPS_4 STEPS_4 STEPS_4
#define STEPS_64 STEPS_16 STEPS_16 STEPS_16 STEPS_16

void main() {
  const uint item = gl_GlobalInvocationID.x;
  if (item != 0) return;
  uint x = state.data[item];
  uint trip = 0;
  for (; trip < trips; ++trip) {
    STEPS_64
  }
  state.data[item] = x;
  state.data[item + 1] = trip;
}
