// The same as kernels/stream.h, which explains it. A vector is 16 bytes, the widest load there is.
layout(constant_id = 1) const uint IN_FLIGHT = 4;
layout(constant_id = 3) const uint SPREAD = 0;
const uint GROUP_SIZE = gl_WorkGroupSize.x;

// Unrolled by hand, as a driver that counts the trips of loops would count an inner one's too.
#define EACH(DO)                                 \
  DO(0)                                          \
  if (IN_FLIGHT > 1) { DO(1) }                   \
  if (IN_FLIGHT > 2) { DO(2) DO(3) }             \
  if (IN_FLIGHT > 4) { DO(4) DO(5) DO(6) DO(7) } \
  if (IN_FLIGHT > 8) { DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15) }

#define GROUP gl_WorkGroupID.x
#define WALK_ARGUMENTS                                                                                  \
  uint trips; uint start; uint blocks; uint block_step; uint group_step; uint group_offset; uint group_further; \
  uint scatter;
#define VECTOR_STEP (SPREAD != 0 ? blocks * GROUP_SIZE : GROUP_SIZE)
#define VECTOR_AT(position)                                                                           \
  ((SPREAD != 0 ? (STREAMING_GROUP * group_step * IN_FLIGHT + SCATTERED(position)) * GROUP_SIZE       \
                : (STREAMING_GROUP * group_step + SCATTERED(position) * block_step) * (GROUP_SIZE * IN_FLIGHT)) + \
   gl_LocalInvocationID.x)

#define DECLARE_VALUES                                                      \
  uvec4 value0, value1, value2, value3, value4, value5, value6, value7;     \
  uvec4 value8, value9, value10, value11, value12, value13, value14, value15;

// One sum, and one index that moves on: a driver that runs several items in step keeps many copies of each, and has no
// registers for more (lavapipe is a tenth faster so).
#define BEGIN_SUM uvec4 all = uvec4(0);
#define ADD(k) all += READ(at); at += ROW_STEP;
#define SUM_UP const uint sum = all.x + all.y + all.z + all.w;
#define PUT_SUM sums.data[gl_GlobalInvocationID.x] = sum;

#include "../kernels/stream_loops.h"
