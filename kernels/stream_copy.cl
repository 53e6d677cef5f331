#include "stream.h"
// C = A without end, where C's block comes from the block of A that is `shift` further on: another shift with every
// dispatch, so that what an earlier one left is noticed. kernels/stream.h explains the walk.
#define LOAD(k) value##k = a[from + k * VECTOR_STEP];
#define STORE(k) c[at + k * VECTOR_STEP] = value##k;

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void stream_copy(global const vector* restrict a, global vector* restrict c, WALK_ARGUMENTS,
                        uint shift) {
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
