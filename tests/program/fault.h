/* What the drivers of these tests share: the driver that they pass calls on to, and the faults that any call may have.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void a_function_that_no_library_has(void);

static int fault(const char* word) {
  const char* wanted = getenv("FAULT");
  return wanted != NULL && strcmp(wanted, word) == 0;
}

static void* real(void) {
  static void* library = NULL;
  if (library == NULL) library = dlopen(REAL, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) abort();
  return library;
}

static void apply_fault(void) {
  fputs("the driver's last words\n", stderr);
  if (fault("abort")) abort();
  if (fault("exit")) exit(0);
#ifdef MISSING_SYMBOL
  a_function_that_no_library_has();
#endif
  static int calls = 0; /* OpenCL's loader makes two */
  if (calls++ == 0 && fault("slow")) sleep(3);
  while (fault("hang")) pause();
}

/* As a second version of LLVM does in a process that has one. */
__attribute__((constructor)) static void stand_no_other_version(void) {
  if (fault("two versions") && dlopen(REAL, RTLD_NOW | RTLD_NOLOAD) != NULL) abort();
}
