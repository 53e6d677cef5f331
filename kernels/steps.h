// What the chain kernels share, in OpenCL C and GLSL alike: the loop. A kernel defines STEP, one step of its chain, and
// has `trips`; what is left is `trip`, the trips made. 64 steps a trip: see docs/method.md, loop limits.
#define STEPS_4 STEP STEP STEP STEP
#define STEPS_16 STEPS_4 STEPS_4 STEPS_4 STEPS_4
#define STEPS_64 STEPS_16 STEPS_16 STEPS_16 STEPS_16
#define MAKE_TRIPS                    \
  uint trip = 0;                      \
  for (; trip < trips; ++trip) {      \
    STEPS_64                          \
  }
