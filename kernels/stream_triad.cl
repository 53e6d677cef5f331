#include "stream.h"
// C = A + factor * B without end, in integers, so that the result is exact. The block of A is `shift` further on, as
// in kernels/stream_copy.cl.
#define LOAD(k) value##k = a[from + k * VECTOR_STEP] + factor * b[at + k * VECTOR_STEP];
#define STORE(k) c[at + k * VECTOR_STEP] = value##k;

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void stream_triad(global const vector* restrict a, global const vector* restrict b, global vector* restrict c,
                         WALK_ARGUMENTS, uint shift, uint factor) {
  EACH(DECLARE)
  uint position = FIRST_POSITION;
  uint shifted = (position + shift) % blocks;
  for (uint trip = 0; trip < trips; ++trip) {
    const uint at = VECTOR_AT(position);
    const uint from = VECTOR_AT(shifted);
    EACH(LOAD)
    EACH(STORE)
    position = AFTER(position);
    shifted = AFTER(shifted);
  }
}
