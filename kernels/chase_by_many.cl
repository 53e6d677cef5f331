// Many work-items walk one chain, each along a stretch of its own of 32 hops, side by side with those before and after it;
// then all walk the next ones. Caches hold afterwards what they would after one walker.
// next: the chain, as in kernels/chase.cl. starts: where each stretch begins; they are taken from `first` on, `count` of
// them, and after the last of `stretches` the first again. sums[n]: the words at which item n ended, added up.
#include "steps.h"
#include "offsets.h"
#define STEP at = *WORD_AT(next, at);

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void chase_by_many(global const uint* restrict next, global const uint* restrict starts,
                          global uint* restrict sums, uint first, uint count, uint stretches) {
  const uint item = get_local_id(0);
  uint sum = 0;
  for (uint turn = 0; turn < count; turn += GROUP_SIZE) {
    if (turn + item < count) {
      const uint stretch = first + turn + item;
      uint at = starts[stretch < stretches ? stretch : stretch - stretches];
      STEPS_32
      sum += at;
    }
    // None is ahead of the others: lines stay in the chain's order but for those of one turn.
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  sums[item] = sum;
}
