// What the streaming kernels share. A block is IN_FLIGHT rows of GROUP_SIZE vectors: on every trip a work-group moves one,
// its items neighbouring vectors of each row, and the rows do not depend on each other. They lie side by side; or, where
// SPREAD is 1, each in a part of its own of what the group walks over, so that it follows IN_FLIGHT streams. A group
// walks a cycle of `blocks` blocks, which lie at (group * group_step + position * block_step): slices of its own
// (blocks, 1), every so many-th block (1, groups), or the whole working set (0, 1). It begins at `start`, moved on by
// `group_offset` for each group and by one more for each of the first `group_further`, so that any number of groups
// begins evenly, and never stops at an end, so no pass is like the one before and nothing is hoisted. Where `scatter` is
// not 0, each group takes the blocks in an order of its own: in one order, those behind would find in a cache what those
// ahead have just read, be faster for it, and all end up side by side, read for once. It is one less than a power of two
// that divides `blocks`.
#define JOINED_AS_WRITTEN(a, b) a##b
#define JOINED(a, b) JOINED_AS_WRITTEN(a, b)
typedef JOINED(uint, VECTOR_WORDS) vector;

#if IN_FLIGHT == 1
#define EACH(DO) DO(0)
#elif IN_FLIGHT == 2
#define EACH(DO) DO(0) DO(1)
#elif IN_FLIGHT == 4
#define EACH(DO) DO(0) DO(1) DO(2) DO(3)
#elif IN_FLIGHT == 8
#define EACH(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#else
#define EACH(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15)
#endif

#define GROUP (uint)get_group_id(0)
#define WALK_ARGUMENTS uint trips, uint start, uint blocks, uint block_step, uint group_step, uint group_offset, uint group_further, \
                       uint scatter
/// The item's first vector of the block at a position; its others follow VECTOR_STEP apart.
#if SPREAD
#define VECTOR_STEP (blocks * GROUP_SIZE)
#define VECTOR_AT(position) \
  ((STREAMING_GROUP * group_step * IN_FLIGHT + SCATTERED(position)) * GROUP_SIZE + (uint)get_local_id(0))
#else
#define VECTOR_STEP GROUP_SIZE
#define VECTOR_AT(position) \
  ((STREAMING_GROUP * group_step + SCATTERED(position) * block_step) * (GROUP_SIZE * IN_FLIGHT) + (uint)get_local_id(0))
#endif

#define DECLARE_VALUE(k) vector value##k;
#define DECLARE_VALUES EACH(DECLARE_VALUE)

/// A sum for each row, so that no addition waits for another.
#define CLEAR(k) vector sum##k = 0;
#define BEGIN_SUM EACH(CLEAR)
#define ADD(k) sum##k += READ(at + k * ROW_STEP);
#define FOLD(k) all += sum##k;
#define SUM_UP                           \
  vector all = 0;                        \
  EACH(FOLD)                             \
  const uint* words = (const uint*)&all; \
  uint sum = 0;                          \
  for (uint word = 0; word < VECTOR_WORDS; ++word) sum += words[word];
#define PUT_SUM sums[get_global_id(0)] = sum;

#include "stream_loops.h"
