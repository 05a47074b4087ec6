// System calls as the file layer needs them: each retries EINTR and answers a value of 0 or more, or the negated errno.
// They stand in C because open, openat and fcntl are variadic, flock is also the name of a struct, and renameat2 is
// declared by glibc only for _GNU_SOURCE.

#ifndef CSTORAGEFILES_H
#define CSTORAGEFILES_H

#include <stddef.h>
#include <stdint.h>

/// What a name stands for.
enum { CSF_OTHER = 0, CSF_FILE = 1, CSF_FOLDER = 2, CSF_LINK = 3, CSF_PIPE = 4, CSF_SOCKET = 5, CSF_DEVICE = 6 };

/// What is known of a file without opening it.
typedef struct {
    uint64_t device;
    uint64_t inode;
    uint64_t size;
    /// Bytes that the file occupies.
    uint64_t allocated;
    uint64_t links;
    /// When the file or what is known of it changed last, in nanoseconds since 1970.
    int64_t changed;
    int kind;
    /// The permissions.
    int mode;
    uint32_t owner;
    uint32_t group;
} csf_info;

/// What is known of the file system under a path.
typedef struct {
    /// Bytes that this user may still write.
    uint64_t available;
    int is_read_only;
} csf_space;

enum {
    /// Read and write rather than only read.
    CSF_WRITE = 1,
    /// Make the file where there is none.
    CSF_CREATE = 2,
    /// With CSF_CREATE: fail where there is one.
    CSF_EXCLUSIVE = 4,
    /// Fail where it is no directory.
    CSF_DIRECTORY = 8,
    /// Fail where it is a symbolic link.
    CSF_NOFOLLOW = 16,
};

/// All descriptors are close-on-exec. `at` is a directory's descriptor or CSF_CWD.
#define CSF_CWD (-1)
/// A file that root makes belongs to the owner of the folder that it is in.
int csf_open(int at, const char *path, int options, int mode);
/// Opens what `path`, relative to the folder `base`, leads to without any symbolic link; -ELOOP or -ENOTDIR where there is one.
int csf_open_inside(const char *base, const char *path, int options, int mode);
int csf_close(int fd);
long csf_read(int fd, void *to, size_t count);
long csf_pread(int fd, void *to, size_t count, uint64_t offset);
/// Writes all of it.
int csf_write(int fd, const void *from, size_t count);
int csf_pwrite(int fd, const void *from, size_t count, uint64_t offset);
/// To the medium itself (F_FULLFSYNC on Darwin).
int csf_sync(int fd);
/// Begins to bring bytes that were written to the medium, and does not wait for it. 0 where the system cannot do that.
int csf_begin_write_back(int fd, uint64_t offset, uint64_t count);
/// Takes everybody's permission to write from the file.
int csf_make_read_only(int fd);

enum { CSF_SHARED = 1, CSF_EXCLUSIVE_LOCK = 2, CSF_UNLOCK = 3 };
/// Never waits; -EWOULDBLOCK where another has the lock. A failed change of kind may lose the lock that was there.
int csf_flock(int fd, int kind);

int csf_mkdir(const char *path, int mode);
/// A folder that root makes belongs to the owner of the folder that it is in.
int csf_mkdir_for_owner(const char *path, int mode);
int csf_rename(const char *from, const char *to);
/// Fails with -EEXIST where `to` exists.
int csf_rename_exclusive(const char *from, const char *to);
int csf_link(const char *from, const char *to);
int csf_unlink(int at, const char *path, int is_directory);
int csf_fstat(int fd, csf_info *info);
/// Does not follow a symbolic link where `follow` is 0.
int csf_stat(int at, const char *path, int follow, csf_info *info);
/// Sets the permissions. Follows symbolic links.
int csf_chmod(const char *path, int mode);
int csf_statvfs(const char *path, csf_space *space);
/// Whether the effective user may write.
int csf_may_write(const char *path);
/// The absolute path without symbolic links; `to` holds `count` bytes.
int csf_realpath(const char *path, char *to, size_t count);

/// Lists a directory: consumes `fd`. Null with `*error` set on failure.
void *csf_list(int fd, int *error);
/// 1 and the next name (at most 255 bytes and NUL) without `.` and `..`, 0 at the end.
int csf_next(void *list, char name[256]);
void csf_end_list(void *list);

/// One page of `fd` (4096 bytes), shared. Null with `*error` set on failure.
void *csf_map(int fd, int *error);
void csf_unmap(void *page);
uint64_t csf_load(const void *page, size_t offset);
/// Sequentially consistent: ordered before every later read of the file system.
void csf_store(void *page, size_t offset, uint64_t value);

/// 1 where the process may open many more files, 0 where at least `count`; -EMFILE or -ENFILE where not even these.
int csf_free_descriptors(int count);

/// 0 where the process may start at least `count` more threads (at most 16) with stacks of the usual size; else -EAGAIN.
int csf_free_threads(int count);

/// Nanoseconds of a clock that never goes back and is the same in all processes.
uint64_t csf_now(void);
void csf_sleep(uint64_t nanoseconds);
/// Whether the effective user is root.
int csf_is_root(void);
int csf_process(void);
/// The running program's short name; `to` holds `count` bytes.
void csf_program(char *to, size_t count);
/// What an errno means, in English.
void csf_describe(int error, char *to, size_t count);

#endif
