// What shaders/arithmetic.glsl includes once for each width of a vector; functions of one name differ by its type.
VECTOR beginning(VECTOR zero, uint number, uint part) {
  const uint place = part + (number & 15);
  return VECTOR_AT(place);
}

// Of a pair. Precise: nothing may be reordered. A fused multiply-add is one operation anyway, which some drivers split in
// two where it has to be precise.
VECTOR turned_x(VECTOR x, VECTOR y, VECTOR operand) {
  if (OPERATION == FMA) return MULTIPLY_ADD(y, operand, x);
  precise VECTOR sum = x + y;
  return sum;
}

VECTOR turned_y(VECTOR x, VECTOR y, VECTOR operand) {
  if (OPERATION == FMA) return MULTIPLY_ADD(x, operand, y);
#ifdef FLOATING
  precise VECTOR sum = y - x;
#else
  precise VECTOR sum = y + x;
#endif
  return sum;
}

// Of x alone.
VECTOR stepped(VECTOR x, VECTOR operand, VECTOR first, VECTOR second) {
#ifdef FLOATING
  if (OPERATION == FMA) return MULTIPLY_ADD(x, x, first);
#else
  if (OPERATION == FMA) return MULTIPLY_ADD(x, first, second);
#endif
#ifdef SINGLE
  if (OPERATION == RECIPROCAL) return 1.0 / (x + operand);
  if (OPERATION == SQUARE_ROOT) return sqrt(x + operand);
  if (OPERATION == EXPONENTIAL) return exp2(operand - x);
  if (OPERATION > EXPONENTIAL) return sin(x + operand);
#endif
  precise VECTOR product = x * operand;
  return product;
}

void work(VECTOR zero) {
  const VECTOR first = VECTOR(number_of(first_low, first_high));
  const VECTOR second = VECTOR(number_of(second_low, second_high));
  VECTOR x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15;
  VECTOR y0, y1, y2, y3, y4, y5, y6, y7, y8, y9, y10, y11, y12, y13, y14, y15;
  const uint begin = gl_GlobalInvocationID.x + salt;
  EACH(BEGIN)
  uint trip = 0;
  for (; trip < trips; ++trip) {
    [[unroll]] for (uint unit = 0; unit < UNROLL; ++unit) {
      EACH(STEP_X)
      EACH(STEP_Y)
    }
  }
  if (OPERATION < RECIPROCAL) {
    WORDS told = WORDS(0);
    EACH(LEAVE)
    uint check = 0;
    ALL(TELL_COMPONENT, told)
    results.data[2 * gl_GlobalInvocationID.x] = check;
  } else {
    VECTOR sums = zero;
    EACH(LEAVE_SUM)
    float sum = 0;
    ALL(ADD_COMPONENT, sums)
    results.data[2 * gl_GlobalInvocationID.x] = floatBitsToUint(sum);
  }
  results.data[2 * gl_GlobalInvocationID.x + 1] = trip + salt;
}
