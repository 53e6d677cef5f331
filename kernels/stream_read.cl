#include "stream.h"
// Reads without end. No local memory: on many GPUs it is taken from the first cache.
#define READ(at) a[at]

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void stream_read(global const vector* restrict a, global uint* restrict sums, WALK_ARGUMENTS) {
  ADD_UP_ALL_TRIPS(VECTOR_AT)
}
