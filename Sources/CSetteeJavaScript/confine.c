#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CSetteeJavaScript.h"
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

static void lower(int resource, rlim_t value)
{
    struct rlimit limit = {.rlim_cur = value, .rlim_max = value};
    setrlimit(resource, &limit);
}

void settee_js_begin(uint64_t memory_limit)
{
#if defined(__linux__) && defined(SYS_close_range)
    syscall(SYS_close_range, 3u, ~0u, 0u);
#endif
    if (chdir("/")) _exit(70);
    umask(077);
    lower(RLIMIT_CORE, 0);
    lower(RLIMIT_FSIZE, 0);
#ifdef __linux__
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    // When the machine's memory is used up, this process is the first to end.
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file >= 0) {
        (void)!write(file, "1000", 4);
        close(file);
    }
#endif
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)memory_limit);
    // An index must not depend on where the machine stands.
    setenv("TZ", "UTC", 1);
    // No memory that is both writable and executable, and a collector that knows how much there is.
    setenv("JSC_useJIT", "0", 1);
    setenv("JSC_useWasm", "0", 1);
    setenv("JSC_forceRAMSize", text, 1);
}

static int32_t host_process;

static void *watch(void *unused)
{
    (void)unused;
    for (;;) {
        struct pollfd input = {.fd = 0, .events = 0};
        poll(&input, 1, 1000);
        if (input.revents || getppid() != host_process) _exit(0);
    }
}

bool settee_js_watch_host(int32_t host)
{
    host_process = host;
    pthread_t thread;
    return pthread_create(&thread, NULL, watch, NULL) == 0;
}

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#ifdef __x86_64__
#define SETTEE_ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define SETTEE_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/// What JavaScriptCore does not call once it runs.
static const int refused[] = {
    // Files.
    SYS_openat, SYS_unlinkat, SYS_renameat2, SYS_mkdirat, SYS_linkat, SYS_symlinkat, SYS_mknodat, SYS_fchmodat,
    SYS_fchmod, SYS_fchownat, SYS_fchown, SYS_truncate, SYS_ftruncate, SYS_utimensat, SYS_setxattr, SYS_lsetxattr,
    SYS_fsetxattr, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_name_to_handle_at, SYS_open_by_handle_at,
    SYS_memfd_create,
#ifdef SYS_openat2
    SYS_openat2,
#endif
#ifdef SYS_open
    SYS_open, SYS_creat, SYS_unlink, SYS_rename, SYS_mkdir, SYS_rmdir, SYS_link, SYS_symlink, SYS_mknod, SYS_chmod,
    SYS_chown, SYS_lchown, SYS_utimes,
#endif
#ifdef SYS_renameat
    SYS_renameat,
#endif
    // Connections.
    SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_mq_open, SYS_msgget,
    SYS_semget, SYS_shmget, SYS_shmat,
    // Programs and other processes.
    SYS_execve, SYS_execveat, SYS_kill, SYS_tkill, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_setns,
    SYS_unshare, SYS_kcmp,
#ifdef SYS_fork
    SYS_fork, SYS_vfork,
#endif
#ifdef SYS_pidfd_open
    SYS_pidfd_open, SYS_pidfd_send_signal,
#endif
#ifdef SYS_pidfd_getfd
    SYS_pidfd_getfd,
#endif
    // The kernel's larger surfaces.
    SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_init_module,
    SYS_finit_module, SYS_kexec_load,
#ifdef SYS_io_uring_setup
    SYS_io_uring_setup,
#endif
};

enum { refused_count = sizeof refused / sizeof *refused };

/// Refused calls return an error, so that a library that tries one goes on.
static bool filter_calls(void)
{
#define LOAD(field) (struct sock_filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IF_EQUAL(value, yes, no) (struct sock_filter) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), yes, no)
#define IF_LEAST(value, yes, no) (struct sock_filter) BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)(value), yes, no)
#define IF_SET(bits, yes, no) (struct sock_filter) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (uint32_t)(bits), yes, no)
#define RETURN(value) (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, (uint32_t)(value))
#define ERROR(number) RETURN(SECCOMP_RET_ERRNO | (number))
    struct sock_filter code[24 + 2 * refused_count];
    unsigned short count = 0;
    code[count++] = LOAD(arch);
    code[count++] = IF_EQUAL(SETTEE_ARCHITECTURE, 1, 0);
    code[count++] = RETURN(SECCOMP_RET_KILL_PROCESS);
    code[count++] = LOAD(nr);
    // The numbers of the x32 calls.
    code[count++] = IF_LEAST(0x40000000, 0, 1);
    code[count++] = RETURN(SECCOMP_RET_KILL_PROCESS);
    for (int i = 0; i < refused_count; i++) {
        code[count++] = IF_EQUAL(refused[i], 0, 1);
        code[count++] = ERROR(EPERM);
    }
#ifdef SYS_clone3
    // Its flags are in memory. The C library then uses `clone`.
    code[count++] = IF_EQUAL(SYS_clone3, 0, 1);
    code[count++] = ERROR(ENOSYS);
#endif
    // Threads, but no processes.
    code[count++] = IF_EQUAL(SYS_clone, 0, 4);
    code[count++] = LOAD(args[0]);
    code[count++] = IF_SET(CLONE_THREAD, 0, 1);
    code[count++] = RETURN(SECCOMP_RET_ALLOW);
    code[count++] = ERROR(EPERM);
    // Signals to threads of this process: the collector stops them so.
    code[count++] = IF_EQUAL(SYS_tgkill, 0, 3);
    code[count++] = LOAD(args[0]);
    code[count++] = IF_EQUAL(getpid(), 1, 0);
    code[count++] = ERROR(EPERM);
    code[count++] = RETURN(SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = count, .filter = code};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}
#else
static bool filter_calls(void) { return false; }
#endif

bool settee_js_confine(void)
{
    // `poll` takes no more descriptors than this, and 0, 1 and 2 are open.
    lower(RLIMIT_NOFILE, 3);
    return filter_calls();
}
