// The same as kernels/stream.h, which explains it. A vector is 16 bytes, the widest load there is.
layout(constant_id = 1) const uint IN_FLIGHT = 4;
layout(constant_id = 3) const uint SPREAD = 0;
const uint GROUP_SIZE = gl_WorkGroupSize.x;

// Unrolled by hand, as a driver that counts the trips of loops would count an inner one's too.
#define EACH(DO)                                     \
  DO(0)                                              \
  if (IN_FLIGHT > 1) { DO(1) }                       \
  if (IN_FLIGHT > 2) { DO(2) DO(3) }                 \
  if (IN_FLIGHT > 4) { DO(4) DO(5) DO(6) DO(7) }

#ifndef STREAMING_GROUP
#define STREAMING_GROUP gl_WorkGroupID.x
#endif

#define WALK_ARGUMENTS uint trips; uint start; uint blocks; uint block_step; uint group_step; uint group_offset;
#define FIRST_POSITION ((start + STREAMING_GROUP * group_offset) % blocks)
#define AFTER(position) ((position) + 1 == blocks ? 0 : (position) + 1)
#define VECTOR_STEP (SPREAD != 0 ? blocks * GROUP_SIZE : GROUP_SIZE)
#define VECTOR_AT(position)                                                                           \
  ((SPREAD != 0 ? (STREAMING_GROUP * group_step * IN_FLIGHT + (position)) * GROUP_SIZE                \
                : (STREAMING_GROUP * group_step + (position) * block_step) * (GROUP_SIZE * IN_FLIGHT)) + \
   gl_LocalInvocationID.x)

#define DECLARE uvec4 value0, value1, value2, value3, value4, value5, value6, value7;

#define CLEAR(k) value##k = uvec4(0);
#define ADD(k) value##k += READ(k);
#define FOLD(k) all += value##k;
#define SUM_UP          \
  uvec4 all = uvec4(0); \
  EACH(FOLD)            \
  const uint sum = all.x + all.y + all.z + all.w;
#define ADD_UP_ALL_TRIPS(AT)                  \
  DECLARE                                     \
  EACH(CLEAR)                                 \
  uint position = FIRST_POSITION;             \
  for (uint trip = 0; trip < trips; ++trip) { \
    const uint at = AT(position);             \
    EACH(ADD)                                 \
    position = AFTER(position);               \
  }                                           \
  SUM_UP                                      \
  sums.data[gl_GlobalInvocationID.x] = sum;
#define WRITE_ON_ALL_TRIPS                    \
  DECLARE                                     \
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
