// One work-item loads lines in uniformly random order, each load dependent on the one before: the next line follows
// from the word just loaded mixed with a step counter, so the walk never closes and any line is as likely as any other.
// lines: a random word at the start of each line. cursor: [0] the word loaded last, [1] the step counter, [2] trips
// made. See kernels/chase.cl for the start from memory and the unrolling.
#include "steps.h"
#define STEP                                                                     \
  ++counter;                                                                     \
  word = lines[mul_hi((word ^ counter) * 0x9E3779B1u, line_count) * line_words];

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void independent_chase(global const uint* restrict lines, global uint* restrict cursor, uint trips,
                              uint line_count, uint line_words) {
  const uint item = get_global_id(0);
  LEAVE_UNLESS_FIRST
  uint word = cursor[item];
  uint counter = cursor[item + 1];
  MAKE_WALK_TRIPS
  cursor[item] = word;
  cursor[item + 1] = counter;
  cursor[item + 2] = trip;
}
