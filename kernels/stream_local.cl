#include "stream.h"
// The reading of kernels/stream_read.cl from the memory of a work-group, into which its items first copy the group's
// blocks: 16 KiB at most. No other streaming kernel declares such memory: on many GPUs it is taken from the first cache.
#define BLOCK_VECTORS (GROUP_SIZE * IN_FLIGHT)
#define FILL(k) part[to + k * GROUP_SIZE] = a[from + k * VECTOR_STEP];
#define CLEAR(k) vector sum##k = 0;
#define ADD(k) sum##k += part[at + k * GROUP_SIZE];
#define FOLD(k) all += sum##k;

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void stream_local(global const vector* restrict a, global uint* restrict sums, WALK_ARGUMENTS) {
  local vector part[16384 / sizeof(vector)];
  for (uint block = 0; block < blocks; ++block) {
    const uint from = VECTOR_AT(block);
    const uint to = block * BLOCK_VECTORS + (uint)get_local_id(0);
    EACH(FILL)
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  EACH(CLEAR)
  uint position = FIRST_POSITION;
  for (uint trip = 0; trip < trips; ++trip) {
    const uint at = position * BLOCK_VECTORS + (uint)get_local_id(0);
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
