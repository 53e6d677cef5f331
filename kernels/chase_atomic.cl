// The walk of kernels/chase.cl with an atomic addition at every hop, which returns what was there before. What is added
// is an argument, and zero: the chain stays as it is, and no compiler can know.
#include "steps.h"
#include "offsets.h"
#define STEP at = atomic_add(WORD_AT(next, at), added);

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void chase_atomic(global uint* restrict next, global uint* restrict cursor, uint trips, uint added) {
  const uint item = get_global_id(0);
  LEAVE_UNLESS_FIRST
  uint at = cursor[item];
  MAKE_WALK_TRIPS
  cursor[item] = at;
  cursor[item + 1] = trip;
}
