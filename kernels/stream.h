// What the streaming kernels share. A block is IN_FLIGHT rows of GROUP_SIZE vectors: on every trip a work-group moves one,
// its items neighbouring vectors of each row, and the rows do not depend on each other. They lie side by side; or, where
// SPREAD is 1, each in a part of its own of what the group walks over, so that it follows IN_FLIGHT streams. A group
// walks a cycle of `blocks` blocks, which lie at (group * group_step + position * block_step): slices of its own
// (blocks, 1), every so many-th block (1, groups), or the whole working set (0, 1). It begins at `start`, moved on by
// `group_offset` for each group, and never stops at an end, so no pass is like the one before and nothing is hoisted.
#define JOINED_AS_WRITTEN(a, b) a##b
#define JOINED(a, b) JOINED_AS_WRITTEN(a, b)
typedef JOINED(uint, VECTOR_WORDS) vector;

#if IN_FLIGHT == 1
#define EACH(DO) DO(0)
#elif IN_FLIGHT == 2
#define EACH(DO) DO(0) DO(1)
#elif IN_FLIGHT == 4
#define EACH(DO) DO(0) DO(1) DO(2) DO(3)
#else
#define EACH(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#endif

/// Which of the walking groups this is; a kernel with other groups before them defines it.
#ifndef STREAMING_GROUP
#define STREAMING_GROUP (uint)get_group_id(0)
#endif

#define WALK_ARGUMENTS uint trips, uint start, uint blocks, uint block_step, uint group_step, uint group_offset
#define FIRST_POSITION ((start + STREAMING_GROUP * group_offset) % blocks)
#define AFTER(position) ((position) + 1 == blocks ? 0 : (position) + 1)
/// The item's first vector of the block at a position; its others follow VECTOR_STEP apart.
#if SPREAD
#define VECTOR_STEP (blocks * GROUP_SIZE)
#define VECTOR_AT(position) \
  ((STREAMING_GROUP * group_step * IN_FLIGHT + (position)) * GROUP_SIZE + (uint)get_local_id(0))
#else
#define VECTOR_STEP GROUP_SIZE
#define VECTOR_AT(position) \
  ((STREAMING_GROUP * group_step + (position) * block_step) * (GROUP_SIZE * IN_FLIGHT) + (uint)get_local_id(0))
#endif

#define DECLARE(k) vector value##k;

/// What reads adds up READ(k), the k-th vector at `at`: its sum of all words proves that it did.
#define CLEAR(k) vector sum##k = 0;
#define ADD(k) sum##k += READ(k);
#define FOLD(k) all += sum##k;
#define SUM_UP                           \
  vector all = 0;                        \
  EACH(FOLD)                             \
  const uint* words = (const uint*)&all; \
  uint sum = 0;                          \
  for (uint word = 0; word < VECTOR_WORDS; ++word) sum += words[word];

/// All of a kernel that only reads, from AT(position) on; sums has one word for each item.
#define ADD_UP_ALL_TRIPS(AT)                  \
  EACH(CLEAR)                                 \
  uint position = FIRST_POSITION;             \
  for (uint trip = 0; trip < trips; ++trip) { \
    const uint at = AT(position);             \
    EACH(ADD)                                 \
    position = AFTER(position);               \
  }                                           \
  SUM_UP                                      \
  sums[get_global_id(0)] = sum;

/// All of a kernel that writes to `at` what it makes of `from`, `shift` blocks further on: another shift with every
/// dispatch, so that what an earlier one left is noticed. LOAD(k) and STORE(k) say how.
#define WRITE_ON_ALL_TRIPS                    \
  EACH(DECLARE)                               \
  uint position = FIRST_POSITION;             \
  uint shifted = (position + shift) % blocks; \
  for (uint trip = 0; trip < trips; ++trip) { \
    const uint at = VECTOR_AT(position);      \
    const uint from = VECTOR_AT(shifted);     \
    EACH(LOAD)                                \
    EACH(STORE)                               \
    position = AFTER(position);               \
    shifted = AFTER(shifted);                 \
  }
