#include "stream.h"
// Writes without end. Each word of an item's vectors begins as noise of its own and grows by a constant on every trip,
// so that no word is like its neighbours, and what stands anywhere tells on which trip it was written.
// turn: trips made by all dispatches before. kernels/stream.h explains the walk.
#define GROWTH 0x9E3779B9u

uint noise(uint number) {
  const uint mixed = (number + 1) * 0x85EBCA6Bu;
  return (mixed ^ (mixed >> 15)) * 0xC2B2AE35u;
}

vector noise_of(uint number) {
  uint words[VECTOR_WORDS];
  for (uint word = 0; word < VECTOR_WORDS; ++word) words[word] = noise(number * VECTOR_WORDS + word);
  return JOINED(vload, VECTOR_WORDS)(0, words);
}

#define BEGIN(k) vector value##k = noise_of((uint)get_global_id(0) * IN_FLIGHT + k) + turn * GROWTH;
#define STORE(k) c[at + k * VECTOR_STEP] = value##k;
#define GROW(k) value##k += GROWTH;

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void stream_write(global vector* restrict c, WALK_ARGUMENTS, uint turn) {
  EACH(BEGIN)
  uint position = FIRST_POSITION;
  for (uint trip = 0; trip < trips; ++trip) {
    const uint at = VECTOR_AT(position);
    EACH(STORE)
    EACH(GROW)
    position = AFTER(position);
  }
}
