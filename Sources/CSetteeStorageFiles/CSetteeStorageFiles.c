#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CSetteeStorageFiles.h"

#include "CSetteeOwnership.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096
// The largest piece that one read or write may move on all systems.
#define PIECE ((size_t)1 << 30)

#define RETRY(result, call)                        \
    do {                                           \
        (result) = (call);                         \
    } while ((result) < 0 && errno == EINTR)

static int directory(int at) { return at == CSF_CWD ? AT_FDCWD : at; }

int csf_open(int at, const char *path, int options, int mode) {
    int flags = O_CLOEXEC | (options & CSF_WRITE ? O_RDWR : O_RDONLY);
    if (options & CSF_CREATE) flags |= O_CREAT;
    if (options & CSF_EXCLUSIVE) flags |= O_EXCL;
    if (options & CSF_DIRECTORY) flags |= O_DIRECTORY;
    if (options & CSF_NOFOLLOW) flags |= O_NOFOLLOW;
    // A FIFO under a name that should be a file must not make the opener wait.
    flags |= O_NONBLOCK | O_NOCTTY;
    return cso_open(directory(at), path, flags, (mode_t)mode);
}

int csf_open_inside(const char *base, const char *path, int options, int mode) {
    int folder = csf_open(CSF_CWD, base, CSF_DIRECTORY, 0);
    while (folder >= 0) {
        const char *end = strchr(path, '/');
        char name[256];
        size_t length = end ? (size_t)(end - path) : strlen(path);
        int fd = -ENAMETOOLONG;
        if (length < sizeof name) {
            memcpy(name, path, length);
            name[length] = 0;
            fd = csf_open(folder, name, end ? CSF_DIRECTORY | CSF_NOFOLLOW : options | CSF_NOFOLLOW, mode);
        }
        csf_close(folder);
        if (!end) return fd;
        folder = fd;
        path = end + 1;
    }
    return folder;
}

// Not retried: after EINTR the state of the descriptor is unspecified, and on Linux it is closed.
int csf_close(int fd) { return close(fd) < 0 ? -errno : 0; }

long csf_read(int fd, void *to, size_t count) {
    ssize_t done;
    RETRY(done, read(fd, to, count > PIECE ? PIECE : count));
    return done < 0 ? -errno : (long)done;
}

long csf_pread(int fd, void *to, size_t count, uint64_t offset) {
    if (offset > INT64_MAX) return 0;
    ssize_t done;
    RETRY(done, pread(fd, to, count > PIECE ? PIECE : count, (off_t)offset));
    return done < 0 ? -errno : (long)done;
}

int csf_write(int fd, const void *from, size_t count) {
    while (count > 0) {
        ssize_t done;
        RETRY(done, write(fd, from, count > PIECE ? PIECE : count));
        if (done < 0) return -errno;
        if (done == 0) return -EIO;
        from = (const char *)from + done;
        count -= (size_t)done;
    }
    return 0;
}

int csf_pwrite(int fd, const void *from, size_t count, uint64_t offset) {
    while (count > 0) {
        ssize_t done;
        RETRY(done, pwrite(fd, from, count > PIECE ? PIECE : count, (off_t)offset));
        if (done < 0) return -errno;
        if (done == 0) return -EIO;
        from = (const char *)from + done;
        offset += (uint64_t)done;
        count -= (size_t)done;
    }
    return 0;
}

int csf_make_read_only(int fd) {
    struct stat info;
    if (fstat(fd, &info) < 0) return -errno;
    return fchmod(fd, info.st_mode & 0555) < 0 ? -errno : 0;
}

int csf_sync(int fd) {
    int result;
#ifdef F_FULLFSYNC
    RETRY(result, fcntl(fd, F_FULLFSYNC));
    if (result == 0) return 0;
#endif
    RETRY(result, fsync(fd));
    return result < 0 ? -errno : 0;
}

int csf_begin_write_back(int fd, uint64_t offset, uint64_t count) {
#if defined(__linux__)
    int result;
    RETRY(result, sync_file_range(fd, (off_t)offset, (off_t)count, SYNC_FILE_RANGE_WRITE));
    // File systems, sandboxes and kernels that do not have it.
    if (result < 0 && errno != ENOSYS && errno != EINVAL && errno != EPERM && errno != EOPNOTSUPP && errno != ESPIPE) {
        return -errno;
    }
#else
    (void)fd, (void)offset, (void)count;
#endif
    return 0;
}

int csf_flock(int fd, int kind) {
    int operation = kind == CSF_SHARED ? LOCK_SH | LOCK_NB : kind == CSF_UNLOCK ? LOCK_UN : LOCK_EX | LOCK_NB;
    int result;
    RETRY(result, flock(fd, operation));
    return result < 0 ? -errno : 0;
}

int csf_mkdir(const char *path, int mode) { return mkdir(path, (mode_t)mode) < 0 ? -errno : 0; }

int csf_mkdir_for_owner(const char *path, int mode) { return cso_mkdir(path, (mode_t)mode); }

int csf_rename(const char *from, const char *to) { return rename(from, to) < 0 ? -errno : 0; }

int csf_rename_exclusive(const char *from, const char *to) {
#if defined(__APPLE__)
    if (renamex_np(from, to, RENAME_EXCL) == 0) return 0;
    if (errno != ENOTSUP && errno != EINVAL) return -errno;
#elif defined(RENAME_NOREPLACE)
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return -errno;
#endif
    // File systems without it: rename itself refuses to replace a folder that is not empty.
    struct stat status;
    if (lstat(to, &status) == 0) return -EEXIST;
    if (rename(from, to) == 0) return 0;
    return errno == ENOTEMPTY || errno == ENOTDIR ? -EEXIST : -errno;
}

int csf_link(const char *from, const char *to) { return link(from, to) < 0 ? -errno : 0; }

int csf_unlink(int at, const char *path, int is_directory) {
    return unlinkat(directory(at), path, is_directory ? AT_REMOVEDIR : 0) < 0 ? -errno : 0;
}

static void fill(csf_info *info, const struct stat *status) {
    info->device = (uint64_t)status->st_dev;
    info->inode = (uint64_t)status->st_ino;
    info->size = status->st_size < 0 ? 0 : (uint64_t)status->st_size;
    info->allocated = status->st_blocks < 0 ? 0 : (uint64_t)status->st_blocks * 512;
    info->links = (uint64_t)status->st_nlink;
    info->mode = (int)(status->st_mode & 0777);
    info->owner = status->st_uid;
    info->group = status->st_gid;
#if defined(__APPLE__)
    const struct timespec *changed = &status->st_ctimespec;
#else
    const struct timespec *changed = &status->st_ctim;
#endif
    info->changed = (int64_t)((uint64_t)changed->tv_sec * 1000000000u + (uint64_t)changed->tv_nsec);
    switch (status->st_mode & S_IFMT) {
    case S_IFREG: info->kind = CSF_FILE; break;
    case S_IFDIR: info->kind = CSF_FOLDER; break;
    case S_IFLNK: info->kind = CSF_LINK; break;
    case S_IFIFO: info->kind = CSF_PIPE; break;
    case S_IFSOCK: info->kind = CSF_SOCKET; break;
    case S_IFCHR:
    case S_IFBLK: info->kind = CSF_DEVICE; break;
    default: info->kind = CSF_OTHER; break;
    }
}

int csf_fstat(int fd, csf_info *info) {
    struct stat status;
    if (fstat(fd, &status) < 0) return -errno;
    fill(info, &status);
    return 0;
}

int csf_stat(int at, const char *path, int follow, csf_info *info) {
    struct stat status;
    if (fstatat(directory(at), path, &status, follow ? 0 : AT_SYMLINK_NOFOLLOW) < 0) return -errno;
    fill(info, &status);
    return 0;
}

int csf_chmod(const char *path, int mode) { return chmod(path, (mode_t)mode) < 0 ? -errno : 0; }

int csf_statvfs(const char *path, csf_space *space) {
    struct statvfs status;
    int result;
    RETRY(result, statvfs(path, &status));
    if (result < 0) return -errno;
    space->available = (uint64_t)status.f_bavail * (uint64_t)status.f_frsize;
    space->is_read_only = (status.f_flag & ST_RDONLY) != 0;
    return 0;
}

int csf_may_write(const char *path) { return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) < 0 ? -errno : 0; }

int csf_realpath(const char *path, char *to, size_t count) {
    char *resolved = realpath(path, NULL);
    if (!resolved) return -errno;
    size_t length = strlen(resolved);
    int fits = length < count;
    if (fits) memcpy(to, resolved, length + 1);
    free(resolved);
    return fits ? 0 : -ENAMETOOLONG;
}

void *csf_list(int fd, int *error) {
    DIR *list = fdopendir(fd);
    if (!list) {
        *error = errno;
        close(fd);
    }
    return list;
}

int csf_next(void *list, char name[256]) {
    for (;;) {
        errno = 0;
        struct dirent *entry = readdir(list);
        if (!entry) return errno == 0 ? 0 : -errno;
        size_t length = strlen(entry->d_name);
        if (length > 255 || !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        memcpy(name, entry->d_name, length + 1);
        return 1;
    }
}

void csf_end_list(void *list) { closedir(list); }

void *csf_map(int fd, int *error) {
    void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page != MAP_FAILED) return page;
    *error = errno;
    return NULL;
}

void csf_unmap(void *page) { munmap(page, PAGE); }

uint64_t csf_load(const void *page, size_t offset) {
    return __atomic_load_n((const uint64_t *)((const char *)page + offset), __ATOMIC_SEQ_CST);
}

void csf_store(void *page, size_t offset, uint64_t value) {
    __atomic_store_n((uint64_t *)((char *)page + offset), value, __ATOMIC_SEQ_CST);
}

int csf_free_descriptors(int count) {
    int held[64];
    int result = 0;
    int opened = 0;
    if (count > 64) count = 64;
    while (opened < count) {
        int fd = csf_open(CSF_CWD, "/", CSF_DIRECTORY, 0);
        if (fd < 0) {
            result = fd;
            break;
        }
        held[opened++] = fd;
        struct rlimit limit;
        // The lowest free number: those above it are free too, or nearly all of them.
        if (opened == 1 && getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur > (rlim_t)fd + 256) {
            result = 1;
            break;
        }
    }
    while (opened > 0) csf_close(held[--opened]);
    return result;
}

static void *wait_for_turn(void *turn) {
    pthread_mutex_lock(turn);
    pthread_mutex_unlock(turn);
    return NULL;
}

int csf_free_threads(int count) {
    pthread_t threads[16];
    pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
    int made = 0;
    int error = 0;
    if (count > 16) count = 16;
    // All of them are there at once.
    pthread_mutex_lock(&turn);
    while (made < count && error == 0) {
        error = pthread_create(&threads[made], NULL, wait_for_turn, &turn);
        if (error == 0) made++;
    }
    pthread_mutex_unlock(&turn);
    while (made > 0) pthread_join(threads[--made], NULL);
    return -error;
}

uint64_t csf_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void csf_sleep(uint64_t nanoseconds) {
    struct timespec rest = {(time_t)(nanoseconds / 1000000000u), (long)(nanoseconds % 1000000000u)};
    while (nanosleep(&rest, &rest) < 0 && errno == EINTR) {
    }
}

int csf_is_root(void) { return geteuid() == 0; }

int csf_process(void) { return (int)getpid(); }

void csf_program(char *to, size_t count) {
#if defined(__APPLE__)
    const char *name = getprogname();
#else
    const char *name = program_invocation_short_name;
#endif
    snprintf(to, count, "%s", name ? name : "");
}

void csf_describe(int error, char *to, size_t count) {
    if (count > 0) to[0] = 0;
#if defined(__GLIBC__)
    // glibc's own form answers a string that may not be in `to`.
    const char *text = strerror_r(error, to, count);
    if (text != to) snprintf(to, count, "%s", text);
#else
    strerror_r(error, to, count);
#endif
}
