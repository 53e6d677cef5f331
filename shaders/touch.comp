#version 460
#extension GL_GOOGLE_include_directive : require
#include "arguments.glsl"

// The same as kernels/touch.cl, which explains it.
BUFFER(0, Words, words, uint)
BUFFER(1, Sums, sums, uint)
layout(push_constant) uniform Arguments {
  BUFFER_ARGUMENT(Words, words)
  BUFFER_ARGUMENT(Sums, sums)
  uint first;
  uint step_words;
  uint count;
  uint each;
  uint item_step;
  uint loop_step;
  uint value;
  uint stores;
};

void main() {
  const uint growth = 0x9E3779B9u;
  const uint item = gl_GlobalInvocationID.x;
  uint sum = 0;
  for (uint turn = 0; turn < each; ++turn) {
    const uint i = item * item_step + turn * loop_step;
    if (i >= count) break;
    const uint at = first + i * step_words;
    if (stores != 0) {
      words.data[at] = value + i * growth;
      sum += 1;
    } else {
      sum += words.data[at] * (2 * i + 1);
    }
  }
  sums.data[item] = sum;
}
