// The walk of kernels/chase_scalar.cl through constant memory, whose cache wants one address for all work-items.
#include "steps.h"
#define STEP at = next[at];

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void chase_constant(constant uint* restrict next, global uint* restrict cursor, uint trips, uint start) {
  uint at = start;
  MAKE_WALK_TRIPS
  if (get_global_id(0) != 0) return;
  cursor[0] = at;
  cursor[1] = trip;
}
