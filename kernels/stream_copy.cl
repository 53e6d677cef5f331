#include "stream.h"
// C = A without end.
#define LOAD(k) value##k = a[from + k * VECTOR_STEP];
#define STORE(k) c[at + k * VECTOR_STEP] = value##k;

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void stream_copy(global const vector* restrict a, global vector* restrict c, WALK_ARGUMENTS,
                        uint shift) {
  WRITE_ON_ALL_TRIPS
}
