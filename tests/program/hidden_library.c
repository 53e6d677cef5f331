/* Makes a library that is opened by name look as if it were not installed, with what glibc says then. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char message[256];

void *dlopen(const char *file, int mode) {
  void *(*const real)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
  if (file == NULL || strncmp(file, HIDDEN, strlen(HIDDEN)) != 0) return real(file, mode);
  snprintf(message, sizeof message, "%s: cannot open shared object file: No such file or directory", file);
  return NULL;
}

char *dlerror(void) {
  static _Thread_local char said[sizeof message];
  char *(*const real)(void) = (char *(*)(void))dlsym(RTLD_NEXT, "dlerror");
  if (message[0] == '\0') return real();
  strcpy(said, message);
  message[0] = '\0';
  return said;
}
