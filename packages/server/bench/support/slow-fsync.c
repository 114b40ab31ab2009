// Makes a disk slower: every sync takes SLOW_FSYNC_MICROS longer. For LD_PRELOAD.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static int slowly(const char *name, int file) {
  const char *micros = getenv("SLOW_FSYNC_MICROS");
  int (*sync)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  if (micros) usleep((useconds_t)atoi(micros));
  return sync(file);
}

int fsync(int file) { return slowly("fsync", file); }
int fdatasync(int file) { return slowly("fdatasync", file); }
