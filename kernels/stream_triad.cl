#include "stream.h"
// C = A + factor * B without end, in integers, so that the result is exact.
#define LOAD(k) value##k = a[from + k * VECTOR_STEP] + factor * b[at + k * VECTOR_STEP];
#define STORE(k) c[at + k * VECTOR_STEP] = value##k;

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void stream_triad(global const vector* restrict a, global const vector* restrict b, global vector* restrict c,
                         WALK_ARGUMENTS, uint shift, uint factor) {
  WRITE_ON_ALL_TRIPS
}
