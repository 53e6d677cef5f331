// The loops of the streaming kernels, in OpenCL C and GLSL alike; kernels/stream.h explains them. A language defines
// EACH, VECTOR_AT, VECTOR_STEP, DECLARE_VALUES, BEGIN_SUM, ADD, SUM_UP and PUT_SUM.

/// Which of the walking groups this is; a kernel with other groups before them defines it.
#ifndef STREAMING_GROUP
#define STREAMING_GROUP GROUP
#endif
/// Vectors between the rows of a block that is read; a kernel that reads from elsewhere defines it.
#ifndef ROW_STEP
#define ROW_STEP VECTOR_STEP
#endif

/// Where the block at a position lies among those of its group: in steps of an odd number of its own, which come to each
/// of a power of two.
#define OWN_STEP (STREAMING_GROUP * 0x9E3779B2u + 1)
#define SCATTERED(position) (((position) & ~scatter) | (((position) * OWN_STEP) & scatter))
#define FIRST_POSITION ((start + STREAMING_GROUP * group_offset + min(STREAMING_GROUP, group_further)) % blocks)
#define AFTER(position) ((position) + 1 == blocks ? 0 : (position) + 1)

/// Reads the block at `position`, AT says where, and goes on to the next.
#define ADD_BLOCK(AT)           \
  {                             \
    uint at = AT(position);     \
    EACH(ADD)                   \
    position = AFTER(position); \
  }

/// All of a kernel that only reads, READ(at) one vector; sums has one word for each item, which proves that it did.
#define ADD_UP_ALL_TRIPS(AT)                                 \
  BEGIN_SUM                                                  \
  uint position = FIRST_POSITION;                            \
  for (uint trip = 0; trip < trips; ++trip) { ADD_BLOCK(AT) } \
  SUM_UP                                                     \
  PUT_SUM

/// All of a kernel that writes to `at` what it makes of `from`, `shift` blocks further on: another shift with every
/// dispatch, so that what an earlier one left is noticed. LOAD(k) and STORE(k) say how.
#define WRITE_ON_ALL_TRIPS                    \
  DECLARE_VALUES                              \
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
