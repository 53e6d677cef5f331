#version 460
#extension GL_GOOGLE_include_directive : require
#include "arguments.glsl"

// Every work-item leaves its group's number, times a factor, and its own number in the group.
BUFFER(0, Numbers, numbers, uint)
layout(push_constant) uniform Arguments {
  BUFFER_ARGUMENT(Numbers, numbers)
  uint factor;
};

void main() {
  numbers.data[gl_GlobalInvocationID.x] = gl_WorkGroupID.x * factor + gl_LocalInvocationID.x;
}
