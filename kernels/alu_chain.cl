// A chain of dependent integer arithmetic, x = x * factor + addend: time that depends on the clock alone.
// factor and addend are arguments so that no compiler can fold the chain.
// state: [0] x, read and written back; [1] trips made.
#define STEP x = x * factor + addend;
#define STEPS_4 STEP STEP STEP STEP
#define STEPS_16 STEPS_4 STEPS_4 STEPS_4 STEPS_4
#define STEPS_64 STEPS_16 STEPS_16 STEPS_16 STEPS_16

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void alu_chain(global uint* restrict state, uint trips, uint factor, uint addend) {
  const uint item = get_global_id(0);
  if (item != 0) return;
  uint x = state[item];
  uint trip = 0;
  for (; trip < trips; ++trip) {
    STEPS_64
  }
  state[item] = x;
  state[item + 1] = trip;
}
