#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CSetteeJavaScript.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

static int open_pair(int ends[2])
{
#ifdef SOCK_CLOEXEC
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) ? errno : 0;
#else
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return errno;
    for (int i = 0; i < 2; i++) {
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
#ifdef SO_NOSIGPIPE
        int on = 1;
        setsockopt(ends[i], SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
    }
    return 0;
#endif
}

int settee_js_spawn(const char *path, char *const arguments[], int32_t *pid, int *socket)
{
    int ends[2];
    int error = open_pair(ends);
    if (error) return error;

    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if ((error = posix_spawn_file_actions_init(&actions))) goto no_actions;
    if ((error = posix_spawnattr_init(&attributes))) goto no_attributes;

    short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP;
#ifdef POSIX_SPAWN_CLOEXEC_DEFAULT
    flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#endif
    // The host may block or ignore signals; a Ctrl-C in its terminal is for the host alone.
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    error = posix_spawnattr_setflags(&attributes, flags) | posix_spawnattr_setsigmask(&attributes, &none)
        | posix_spawnattr_setsigdefault(&attributes, &all) | posix_spawnattr_setpgroup(&attributes, 0)
        | posix_spawn_file_actions_adddup2(&actions, ends[1], 0)
        | posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        | posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
    error |= posix_spawn_file_actions_addclosefrom_np(&actions, 3);
#endif
    char *environment[] = {NULL};
    pid_t child = 0;
    if (error) error = ENOMEM;
    else error = posix_spawn(&child, path, &actions, &attributes, arguments, environment);
    *pid = child;

    posix_spawnattr_destroy(&attributes);
no_attributes:
    posix_spawn_file_actions_destroy(&actions);
no_actions:
    close(ends[1]);
    if (error) close(ends[0]);
    else *socket = ends[0];
    return error;
}

ptrdiff_t settee_js_send(int socket, const void *bytes, size_t count)
{
    ssize_t sent = send(socket, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) return sent;
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR || errno == ENOBUFS ? 0 : -1;
}

ptrdiff_t settee_js_receive(int socket, void *bytes, size_t count)
{
    ssize_t received = recv(socket, bytes, count, MSG_DONTWAIT);
    if (received > 0) return received;
    return received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) ? 0 : -1;
}

void settee_js_wait(int socket, bool to_write, int milliseconds)
{
    struct pollfd one = {.fd = socket, .events = to_write ? POLLOUT : POLLIN};
    poll(&one, 1, milliseconds);
}

uint64_t settee_js_resident(int32_t pid)
{
#ifdef __linux__
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    char text[128];
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length <= 0) return 0;
    text[length] = 0;
    unsigned long long pages = 0;
    if (sscanf(text, "%*s %llu", &pages) != 1) return 0;
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
#else
    (void)pid;
    return 0;
#endif
}

uint64_t settee_js_processor_time(int32_t pid)
{
#ifdef __linux__
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &time)) return 0;
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
#else
    (void)pid;
    return 0;
#endif
}

int settee_js_exit_status(int32_t pid, int milliseconds)
{
    for (int waited = 0;; waited += 10) {
        siginfo_t info = {0};
        if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT)) return -1;
        if (info.si_pid == pid) return info.si_code == CLD_EXITED ? info.si_status : -1;
        if (waited >= milliseconds) return -1;
        poll(NULL, 0, 10);
    }
}

void settee_js_end(int32_t pid, int socket)
{
    close(socket);
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
}
