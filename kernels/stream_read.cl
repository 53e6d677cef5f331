#include "stream.h"
// Reads without end and adds all words up, which is the proof: sums has one word for each item. kernels/stream.h
// explains the walk. No local memory: on many GPUs it is taken from the first cache.
#define CLEAR(k) vector sum##k = 0;
#define ADD(k) sum##k += a[at + k * VECTOR_STEP];
#define FOLD(k) all += sum##k;

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void stream_read(global const vector* restrict a, global uint* restrict sums, WALK_ARGUMENTS) {
  EACH(CLEAR)
  uint position = FIRST_POSITION;
  for (uint trip = 0; trip < trips; ++trip) {
    const uint at = VECTOR_AT(position);
    EACH(ADD)
    position = AFTER(position);
  }
  vector all = 0;
  EACH(FOLD)
  const uint* words = (const uint*)&all;
  uint sum = 0;
  for (uint word = 0; word < VECTOR_WORDS; ++word) sum += words[word];
  sums[get_global_id(0)] = sum;
}
