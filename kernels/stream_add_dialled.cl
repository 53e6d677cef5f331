#include "stream.h"
// C = A + B of kernels/stream_add.cl, with arithmetic on the sum before it is written: `rounds` times four steps of
// x * factor + addend, which dial how much of the memory's bandwidth is used; `extra` of 64 trips make one round more, as
// one may be much on a CPU. `salt`, another in every dispatch, tells by which a word was written. At most so many trips
// and rounds that their product stays below the loop limit.
#define LOAD(k) value##k = a[at + k * VECTOR_STEP] + b[at + k * VECTOR_STEP] + salt;
#define STEP(k) value##k = value##k * factor + addend;
#define STORE(k) c[at + k * VECTOR_STEP] = value##k;

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void stream_add_dialled(global const vector* restrict a, global const vector* restrict b,
                               global vector* restrict c, WALK_ARGUMENTS, uint salt, uint rounds, uint extra,
                               uint factor, uint addend) {
  DECLARE_VALUES
  uint position = FIRST_POSITION;
  for (uint trip = 0; trip < trips; ++trip) {
    const uint at = VECTOR_AT(position);
    EACH(LOAD)
    const uint rounds_now = rounds + (trip * extra % 64 < extra ? 1 : 0);
    for (uint round = 0; round < rounds_now; ++round) {
      EACH(STEP) EACH(STEP) EACH(STEP) EACH(STEP)
    }
    EACH(STORE)
    position = AFTER(position);
  }
}
