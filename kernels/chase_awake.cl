// The walk of kernels/chase.cl by the first work-group, while the others read a stream of their own, so that the memory
// and the way to it stay awake. They end when the walk does: its launch number is the sign, which they look for once a
// round, and `most_rounds` where a device runs the groups one after the other.
// cursor: [0] and [1] as in kernels/chase.cl; [2] the launch whose walk has ended; [3] takes what was read, so that no
// compiler drops the loads; [3 + group] the rounds that each further group made.
// stream: `rows` rows of GROUP_SIZE words. A round is eight rows in flight.
#include "steps.h"
#define STEP at = next[at];
#define READ_ROW                                \
  sum += stream[row * GROUP_SIZE + local_item]; \
  row = (row + streams) % rows;

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void chase_awake(global const uint* restrict next, global uint* cursor, global const uint* restrict stream,
                        uint trips, uint launch, uint rows, uint most_rounds) {
  const uint item = get_global_id(0);
  const uint group = get_group_id(0);
  const uint local_item = get_local_id(0);
  volatile global uint* signs = cursor;
  if (group == 0) {
    if (item != 0) return;
    uint at = cursor[item];
    MAKE_TRIPS
    cursor[item] = at;
    cursor[item + 1] = trip;
    atomic_xchg(signs + 2, launch);
    return;
  }
  const uint streams = get_num_groups(0) - 1;
  uint row = (launch * 7919 + group) % rows;
  uint sum = 0;
  uint rounds = 0;
  for (; rounds < most_rounds && atomic_or(signs + 2, 0) != launch; ++rounds) {
    READ_ROW READ_ROW READ_ROW READ_ROW READ_ROW READ_ROW READ_ROW READ_ROW
  }
  atomic_xor(signs + 3, sum);
  if (local_item == 0) cursor[3 + group] = rounds;
}
