#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_ARB_shader_clock : require
#include "arguments.glsl"
#include "../kernels/steps.h"

// The same as kernels/clock_rate.cl, which explains it; for devices with shaderSubgroupClock.
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
  const uint before = clock2x32ARB().x;
  MAKE_ARITHMETIC_TRIPS
  const uint after = clock2x32ARB().x;
  state.data[item] = x;
  state.data[item + 1] = trip;
  state.data[item + 2] = before;
  state.data[item + 3] = after;
}
