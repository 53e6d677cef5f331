// One work-item walks a chain: every load's address is the value of the load before it.
// next: the chain, an offset in each 32-bit word that is visited.
// cursor: [0] where the walk stands, read and written back; [1] trips made, the proof that none was dropped.
// The start comes from memory by the work-item's own index, so that no compiler can prove the address the
// same for all and send the loads through another cache; steps.h says why it does not leave by `item != 0`.
#include "steps.h"
#include "offsets.h"
#define STEP at = *WORD_AT(next, at);

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void chase(global const uint* restrict next, global uint* restrict cursor, uint trips) {
  const uint item = get_global_id(0);
  LEAVE_UNLESS_FIRST
  uint at = cursor[item];
  MAKE_WALK_TRIPS
  cursor[item] = at;
  cursor[item + 1] = trip;
}
