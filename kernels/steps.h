// What the chain kernels share, in OpenCL C and GLSL alike: the loop. A kernel defines STEP, one step of its chain, and
// has `trips`; what is left is `trip`, the trips made. A walk makes 8 steps a trip, whose loop a load's time hides,
// since a driver may give each step of the code memory of its own, which takes the first cache's room: lavapipe 112
// bytes, which are used so often that replacement spares 4 of 12 ways in each set they lie in. Arithmetic makes 64, so
// that the loop's own is nothing beside it.
//
// One work-item of a wave walks. `item != 0` would tell a compiler that `item` is zero in all that follows, and with it
// the start and every address the same for all: AMD's then send the loads through the scalar cache. `trips` is below
// 2^31, which none can know, so that to all of them two items may walk.
#define LEAVE_UNLESS_FIRST if (item > (trips >> 31)) return;
#define STEPS_4 STEP STEP STEP STEP
#define STEPS_8 STEPS_4 STEPS_4
#define STEPS_32 STEPS_8 STEPS_8 STEPS_8 STEPS_8
#define STEPS_64 STEPS_32 STEPS_32
#define MAKE_TRIPS_OF(STEPS)     \
  uint trip = 0;                 \
  for (; trip < trips; ++trip) { \
    STEPS                        \
  }
#define MAKE_WALK_TRIPS MAKE_TRIPS_OF(STEPS_8)
#define MAKE_ARITHMETIC_TRIPS MAKE_TRIPS_OF(STEPS_64)
