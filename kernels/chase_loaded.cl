// The walk of kernels/chase.cl by the first work-group, while the others read streams (kernels/stream.h), four blocks a
// round. They end when the walk does: its launch number is the sign, which the first item of each looks for while the
// blocks are on their way; after `most_rounds` they end where a device runs the groups one after the other. Between two
// rounds they wait for `delay` times 32 steps of position * factor + addend, which are one and zero, but no compiler
// can know.
// cursor: [0] and [1] as in kernels/chase.cl; [2] the launch whose walk has ended; then for each further group the
// rounds that it made, and a word to which it adds the sum of all that it read.
#include "steps.h"
#include "offsets.h"
#define STREAMING_GROUP (GROUP - 1)
#include "stream.h"
#define STEP at = *WORD_AT(next, at);
#define WAIT position = position * factor + addend;
#define WAIT_8 WAIT WAIT WAIT WAIT WAIT WAIT WAIT WAIT
#define READ(at) stream[at]
#define BLOCK ADD_BLOCK(VECTOR_AT)

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void chase_loaded(global const uint* restrict next, global uint* cursor, global const vector* restrict stream,
                         WALK_ARGUMENTS, uint launch, uint most_rounds, uint delay, uint factor,
                         uint addend) {
  local uint signs[2];
  const uint item = get_global_id(0);
  const uint local_item = get_local_id(0);
  volatile global uint* sign = cursor + 2;
  if (get_group_id(0) == 0) {
    LEAVE_UNLESS_FIRST
    uint at = cursor[item];
    MAKE_WALK_TRIPS
    cursor[item] = at;
    cursor[item + 1] = trip;
    atomic_xchg(sign, launch);
    return;
  }
  BEGIN_SUM
  uint position = FIRST_POSITION;
  uint rounds = 0;
  if (local_item == 0) signs[1] = atomic_or(sign, 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  uint seen = signs[1];
  while (seen != launch && rounds < most_rounds) {
    if (local_item == 0) signs[rounds & 1] = atomic_or(sign, 0);
    BLOCK BLOCK BLOCK BLOCK
    // Two words in turn: nobody writes the one that others may still be reading.
    barrier(CLK_LOCAL_MEM_FENCE);
    seen = signs[rounds & 1];
    for (uint wait = 0; wait < delay; ++wait) { WAIT_8 WAIT_8 WAIT_8 WAIT_8 }
    ++rounds;
  }
  SUM_UP
  atomic_add((volatile global uint*)cursor + 4 + 2 * STREAMING_GROUP, sum);
  if (local_item == 0) cursor[3 + 2 * STREAMING_GROUP] = rounds;
}
