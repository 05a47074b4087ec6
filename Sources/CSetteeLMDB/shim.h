#pragma once
#include <lmdb.h>

#ifdef __linux__
#include <sys/types.h>

// Headers show it to GNU programs only, which Swift's modules are not.
int fallocate(int file, int mode, off_t offset, off_t length);

/// Takes disk space for the first `length` bytes of a file, whose length stays. 0, or -1 with errno.
static inline int clmdb_reserve(int file, off_t length) { return fallocate(file, 1 /* FALLOC_FL_KEEP_SIZE */, 0, length); }
#endif
