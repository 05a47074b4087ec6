#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CSetteeOwnership.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/fsuid.h>
#endif

#ifdef O_PATH
#define LOOK O_PATH
#else
#define LOOK O_RDONLY
#endif
// How often a name may come and go while it is opened.
#define ATTEMPTS 1000

#define RETRY(result, call)                        \
    do {                                           \
        (result) = (call);                         \
    } while ((result) < 0 && errno == EINTR)

// Opens the folder of `path`, and points `name` at what follows. What is made and whose it becomes then refer to one
// folder, whatever somebody renames meanwhile.
static int open_folder(int at, const char *path, const char **name) {
    int flags = LOOK | O_DIRECTORY | O_CLOEXEC;
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    int fd;
    if (!slash || slash == path) {
        RETRY(fd, openat(at, slash ? "/" : ".", flags));
        return fd < 0 ? -errno : fd;
    }
    char *folder = strndup(path, (size_t)(slash - path));
    if (!folder) return -ENOMEM;
    RETRY(fd, openat(at, folder, flags));
    int result = fd < 0 ? -errno : fd;
    free(folder);
    return result;
}

// Makes a file or a folder, as the owner of the folder that it is in where the system can do that for one thread: then it
// is never root's, and a kill leaves nothing of root's behind. 0 or a descriptor, else the negated errno.
static int make(int folder, const char *name, int isFolder, int flags, mode_t mode) {
    int result;
#ifdef __linux__
    struct stat owner;
    if (fstat(folder, &owner) == 0 && owner.st_uid != 0) {
        int group = setfsgid(owner.st_gid);
        int user = setfsuid(owner.st_uid);
        RETRY(result, isFolder ? mkdirat(folder, name, mode) : openat(folder, name, flags, mode));
        int error = errno;
        setfsuid((uid_t)user);
        setfsgid((gid_t)group);
        if (result >= 0) return result;
        // Root may write where the owner may not.
        if (error != EACCES && error != EPERM) return -error;
    }
#endif
    RETRY(result, isFolder ? mkdirat(folder, name, mode) : openat(folder, name, flags, mode));
    return result < 0 ? -errno : result;
}

// Errors stay without effect: whoever opens the database is told whose its files are.
static void adopt(int fd, int folder) {
    struct stat own, owner;
    if (fstat(fd, &own) < 0 || fstat(folder, &owner) < 0) return;
    if (own.st_uid == owner.st_uid && own.st_gid == owner.st_gid) return;
    int result;
    RETRY(result, fchown(fd, owner.st_uid, owner.st_gid));
}

int cso_open(int at, const char *path, int flags, mode_t mode) {
    int fd;
    if (!(flags & O_CREAT) || geteuid() != 0) {
        RETRY(fd, openat(at, path, flags, mode));
        return fd < 0 ? -errno : fd;
    }
    const char *name;
    int folder = open_folder(at, path, &name);
    if (folder < 0) return folder;
    int result = -EAGAIN;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        // Exclusively: a file that was there may be another's, linked to this name in order to be given away.
        result = make(folder, name, 0, flags | O_EXCL, mode);
        if (result >= 0) adopt(result, folder);
        if (result != -EEXIST || flags & O_EXCL) break;
        RETRY(fd, openat(folder, name, flags & ~O_CREAT));
        result = fd < 0 ? -errno : fd;
        if (result != -ENOENT) break;
    }
    close(folder);
    return result;
}

// Whether root has made a regular file since then, and it has no other name. A file that was moved here is older.
static int is_new(int fd, time_t since) {
#if defined(__linux__) && defined(STATX_BTIME)
    struct statx facts;
    if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &facts) < 0) return 0;
    return facts.stx_mask & STATX_BTIME && facts.stx_btime.tv_sec >= since && S_ISREG(facts.stx_mode)
        && facts.stx_nlink == 1 && facts.stx_uid == 0;
#elif defined(__APPLE__)
    struct stat facts;
    return fstat(fd, &facts) == 0 && facts.st_birthtimespec.tv_sec >= since && S_ISREG(facts.st_mode)
        && facts.st_nlink == 1 && facts.st_uid == 0;
#else
    (void)fd;
    (void)since;
    return 0;
#endif
}

void cso_adopt_new(const char *path, time_t since, const char *except) {
    struct stat owner;
    if (geteuid() != 0 || lstat(path, &owner) < 0 || owner.st_uid == 0) return;
    int folder;
    RETRY(folder, open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    DIR *list = folder < 0 ? NULL : fdopendir(folder);
    if (!list) {
        if (folder >= 0) close(folder);
        return;
    }
    for (struct dirent *entry; (entry = readdir(list));) {
        if (!strcmp(entry->d_name, except)) continue;
        int fd;
        RETRY(fd, openat(folder, entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
        if (fd < 0) continue;
        if (is_new(fd, since)) adopt(fd, folder);
        close(fd);
    }
    closedir(list);
}

// Whether it can be what was made just now: nobody has put anything there.
static int is_empty(int fd) {
    int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = copy < 0 ? NULL : fdopendir(copy);
    if (!list) {
        if (copy >= 0) close(copy);
        return 0;
    }
    int others = 0;
    for (struct dirent *entry; !others && (entry = readdir(list));)
        others = strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
    closedir(list);
    return !others;
}

// Gives away the folder that was made just now.
static int adopt_folder(int folder, const char *name) {
    struct stat owner;
    if (fstat(folder, &owner) == 0 && owner.st_uid == 0 && owner.st_gid == getegid()) return 0;
    int fd;
    RETRY(fd, openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (fd < 0) {
        int result = -errno;
        unlinkat(folder, name, AT_REMOVEDIR);
        return result;
    }
    // Who may write to the folder may have put another one in its place.
    if (is_empty(fd)) adopt(fd, folder);
    close(fd);
    return 0;
}

int cso_mkdir(const char *path, mode_t mode) {
    if (geteuid() != 0) return mkdir(path, mode) < 0 ? -errno : 0;
    const char *name;
    int folder = open_folder(AT_FDCWD, path, &name);
    if (folder < 0) return folder;
    int result = make(folder, name, 1, 0, mode);
    if (result >= 0) result = adopt_folder(folder, name);
    close(folder);
    return result;
}
