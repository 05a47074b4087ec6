// Runs a command, and tells what another process took meanwhile, or the command itself where PID is 0:
// watch PID RESULT COMMAND [ARGUMENT...]
//
// The line in the file RESULT: {"seconds","cpuSeconds","heldBytes","heldMostBytes"}. Held is memory of the process's own
// (RssAnon), before the command and at most, looked at every 20 ms, or 2 for the command: pages of mapped files, which the system takes back
// when it needs them, are not in it.
#include "../baseline/harness.h"

#include <sys/resource.h>
#include <sys/wait.h>

static double processor_seconds(long process) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    FILE *file = fopen(path, "r");
    if (!file) fail("the process has ended");
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = 0;
    unsigned long user = 0, system = 0;
    char *rest = strrchr(text, ')');
    if (!rest || sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) != 2) {
        fail("cannot read the processor time");
    }
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static double seconds_of(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec / 1e6; }

static unsigned long held_bytes(long process) {
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%ld/status", process);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    unsigned long kilobytes = 0;
    while (fgets(line, sizeof line, file) && sscanf(line, "RssAnon: %lu", &kilobytes) != 1) {}
    fclose(file);
    return kilobytes * 1024;
}

int main(int count, char **arguments) {
    if (count < 4) fail("usage: watch PID RESULT COMMAND [ARGUMENT...]");
    long process = (long)number_argument(arguments[1], "PID");
    bool is_own = process == 0;
    unsigned long before = is_own ? 0 : held_bytes(process), most = before;
    double processor = is_own ? 0 : processor_seconds(process), began = wall_seconds();
    pid_t command = fork();
    if (command < 0) fail("cannot begin a process");
    if (command == 0) {
        execvp(arguments[3], arguments + 3);
        fprintf(stderr, "cannot run %s: %s\n", arguments[3], strerror(errno));
        _exit(127);
    }
    if (is_own) process = (long)command;
    int status;
    struct rusage usage;
    while (wait4(command, &status, WNOHANG, &usage) == 0) {
        usleep(is_own ? 2000 : 20000);
        unsigned long now = held_bytes(process);
        if (now > most) most = now;
    }
    double seconds = wall_seconds() - began;
    processor = is_own ? seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime) : processor_seconds(process) - processor;
    FILE *file = fopen(arguments[2], "w");
    if (!file) fail("cannot write the result");
    fprintf(file, "{\"seconds\":%.6f,\"cpuSeconds\":%.2f,\"heldBytes\":%lu,\"heldMostBytes\":%lu}\n", seconds,
        processor, before, most);
    fclose(file);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
