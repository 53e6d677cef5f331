// The walk of kernels/chase.cl along the path for addresses that are the same for all work-items: the start is an
// argument, so every compiler can prove it, and all items walk alike. One item writes where the walk ended.
#include "steps.h"
#include "offsets.h"
#define STEP at = *WORD_AT(next, at);

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void chase_scalar(global const uint* restrict next, global uint* restrict cursor, uint trips, uint start) {
  uint at = start;
  MAKE_WALK_TRIPS
  if (get_global_id(0) != 0) return;
  cursor[0] = at;
  cursor[1] = trip;
}
