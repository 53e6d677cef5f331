#define ROW_STEP GROUP_SIZE
#include "stream.h"
// The reading of kernels/stream_read.cl from the memory of a work-group, into which its items first copy the group's
// blocks: 16 KiB at most. No other streaming kernel declares such memory: on many GPUs it is taken from the first cache.
#define PART_AT(position) ((position) * (GROUP_SIZE * IN_FLIGHT) + (uint)get_local_id(0))
#define FILL(k) part[to + k * GROUP_SIZE] = a[from + k * VECTOR_STEP];
#define READ(at) part[at]

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void stream_local(global const vector* restrict a, global uint* restrict sums, WALK_ARGUMENTS) {
  local vector part[16384 / sizeof(vector)];
  for (uint block = 0; block < blocks; ++block) {
    const uint from = VECTOR_AT(block);
    const uint to = PART_AT(block);
    EACH(FILL)
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  ADD_UP_ALL_TRIPS(PART_AT)
}
