// The walk of kernels/chase.cl through constant memory.
#include "steps.h"
#define STEP at = next[at];

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void chase_constant(constant uint* restrict next, global uint* restrict cursor, uint trips) {
  const uint item = get_global_id(0);
  if (item != 0) return;
  uint at = cursor[item];
  MAKE_WALK_TRIPS
  cursor[item] = at;
  cursor[item + 1] = trip;
}
