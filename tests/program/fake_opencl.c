/* A libOpenCL.so.1 that passes every call on to the real one (REAL_OPENCL) and does what FAULT says: it crashes or
 * hangs while devices are listed, or at the first kernel after a buffer of 5 to 6.9 KB was made; it talks; it leaves a
 * process behind that lives for 20 seconds; it never says that a command runs before it is asked for its times. */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* All arguments of all these functions are integers or pointers, so twelve words carry any of them. */
#define PARAMETERS long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k, long l
#define ARGUMENTS a, b, c, d, e, f, g, h, i, j, k, l

typedef long (*Function)(PARAMETERS);

static Function real(const char* name) {
  static void* library = NULL;
  if (library == NULL) library = dlopen(REAL_OPENCL, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    abort();
  }
  return (Function)dlsym(library, name);
}

static int fault(const char* word) {
  const char* wanted = getenv("FAULT");
  return wanted != NULL && strcmp(wanted, word) == 0;
}

static void crash(void) {
  fputs("the driver's last words\n", stderr);
  signal(SIGSEGV, SIG_DFL);
  raise(SIGSEGV);
}

static void hang(void) {
  for (;;) pause();
}

static int at_the_point = 0;

static void before_clGetPlatformIDs(long size_bytes) {
  (void)size_bytes;
  if (fault("crash while listing")) crash();
  if (fault("hang while listing")) hang();
  if (fault("leave a process behind") && fork() == 0) {
    sleep(20);
    _exit(0);
  }
  if (fault("talk")) {
    puts("the driver talks");
    fflush(stdout);
    fputs("the driver complains\n", stderr);
  }
}

static void before_clCreateBuffer(long size_bytes) { at_the_point |= size_bytes > 5000 && size_bytes < 6900; }

static void before_clEnqueueNDRangeKernel(long size_bytes) {
  (void)size_bytes;
  if (at_the_point && fault("crash in a kernel")) crash();
  if (at_the_point && fault("hang in a kernel")) hang();
}

/* Of a command's state: 0x11D3 asks for it, 2 is submitted. */
static void after_clGetEventInfo(long asked, long answer) {
  if (asked == 0x11D3 && answer != 0 && fault("never say that a command runs")) *(int*)answer = 2;
}

#define PASS_ON(function) \
  long function(PARAMETERS) { return real(#function)(ARGUMENTS); }
#define PASS_ON_AFTER(function) \
  long function(PARAMETERS) {   \
    before_##function(c);       \
    return real(#function)(ARGUMENTS); \
  }

#define PASS_ON_BEFORE(function)           \
  long function(PARAMETERS) {              \
    long result = real(#function)(ARGUMENTS); \
    after_##function(b, d);                \
    return result;                         \
  }

PASS_ON_AFTER(clGetPlatformIDs)
PASS_ON_AFTER(clCreateBuffer)
PASS_ON_AFTER(clEnqueueNDRangeKernel)
PASS_ON_BEFORE(clGetEventInfo)
/* The other functions that the program opens: PASS_ON(clBuildProgram) … */
OTHER_FUNCTIONS
