// Files and folders that belong to the owner of the folder that they are made in, also where root makes them. They stand
// in C because open and openat are variadic, and because the file layer and two engines need the same.

#ifndef CSETTEEOWNERSHIP_H
#define CSETTEEOWNERSHIP_H

#include <sys/types.h>
#include <time.h>

/// As openat(2). A file that this call itself makes as root gets the owner and the group of the folder that it is in;
/// one that exists stays as it is. On Linux it is made as that owner at once, so that a kill leaves nothing of root's.
/// That the system refuses to give it away is no failure.
///
/// The descriptor, or the negated errno.
int cso_open(int at, const char *path, int flags, mode_t mode);

/// As mkdir(2); the new folder gets the owner and the group of the folder that it is in, as above. 0 or the negated errno.
int cso_mkdir(const char *path, mode_t mode);

/// For a library that makes files itself: as root, gives the files in a folder to the folder's owner that were made
/// since the given time. One that is older, or has other names, stays as it is: it may have been put here in order to be
/// given away. A file of the name `except` is not opened; closing it would release the locks that the process has on it.
void cso_adopt_new(const char *path, time_t since, const char *except);

#endif
