// The walk of kernels/chase.cl through the memory of a work-group, into which its items first copy the chain. No other
// kernel declares such memory: on many GPUs it is taken from the first cache.
// words: length of the chain, at most LOCAL_WORDS.
#include "steps.h"
#define LOCAL_WORDS 4096
#define STEP at = chain[at];

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void chase_local(global const uint* restrict next, global uint* restrict cursor, uint trips, uint words) {
  local uint chain[LOCAL_WORDS];
  for (uint word = get_local_id(0); word < words; word += GROUP_SIZE) chain[word] = next[word];
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint item = get_global_id(0);
  LEAVE_UNLESS_FIRST
  uint at = cursor[item];
  MAKE_WALK_TRIPS
  cursor[item] = at;
  cursor[item + 1] = trip;
}
