// Files and folders that belong to the owner of the folder that they are made in, also where root makes them. They stand
// in C because open and openat are variadic, and because the file layer and two engines need the same.

#ifndef CSETTEEOWNERSHIP_H
#define CSETTEEOWNERSHIP_H

#include <sys/types.h>

/// As openat(2). A file that this call itself makes as root gets the owner and the group of the folder that it is in;
/// one that exists stays as it is. On Linux it is made as that owner at once, so that a kill leaves nothing of root's.
/// That the system refuses to give it away is no failure.
///
/// The descriptor, or the negated errno.
int cso_open(int at, const char *path, int flags, mode_t mode);

/// As mkdir(2); the new folder gets the owner and the group of the folder that it is in, as above. 0 or the negated errno.
int cso_mkdir(const char *path, mode_t mode);

#endif
