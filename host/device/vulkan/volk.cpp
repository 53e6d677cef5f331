// Debian's volk is a header and a source file, not a library: it is compiled here, once.
#define VOLK_IMPLEMENTATION
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <volk.h>
