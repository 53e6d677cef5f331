#include "stream.h"
// C = A + B without end, in integers, so that the sum is exact.
#define LOAD(k) value##k = a[from + k * VECTOR_STEP] + b[at + k * VECTOR_STEP];
#define STORE(k) c[at + k * VECTOR_STEP] = value##k;

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void stream_add(global const vector* restrict a, global const vector* restrict b, global vector* restrict c,
                       WALK_ARGUMENTS, uint shift) {
  WRITE_ON_ALL_TRIPS
}
