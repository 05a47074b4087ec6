// What the file system can do with attachments when nothing is in the way: a file for each, no digests, no documents.
//
// baseline-files --db FOLDER --workload NAME[,NAME...] [--docs N] [--attachment-size BYTES] [--durability NORMAL|FULL]
//          [--ids ordered|random]
//
// FOLDER is made if it is not there; attachments that an earlier run has left in it are removed, and if it holds anything
// else the program ends. --docs is the number of files, 1,000 unless given. --attachment-size is the size of each: unless
// given, 4,096 bytes in `attach-small` and 1,048,576 in `attach-large`; `attachment-read` reads what is there, or else
// makes what `attach-large` makes, untimed. --data and --operations are taken, as by the other programs, and not used. One
// line of JSON is printed for each workload: {"workload","documents","seconds","opsPerSecond","cpuSeconds"}.
//
// Each file is written under a temporary name, in pieces of 64 KiB, and renamed. FULL syncs the file before it is renamed
// and the folder after that; NORMAL syncs nothing.
#include "program.h"

#include <dirent.h>

enum { PIECE = 65536, SMALL = 4096, LARGE = 1048576 };

static const char prefix[] = "attachment-";
static uint64_t given_size;     // of --attachment-size; 0: not given
static uint64_t written_size;   // of each file in the folder; 0: there are none
static unsigned char piece[PIECE];

static void fail_with(const char *what, const char *name) {
    fprintf(stderr, "%s %s: %s\n", what, name, strerror(errno));
    exit(1);
}

// Makes the folder, or removes the attachments that are in it.
static void prepare_empty(void) {
    if (mkdir(path, 0755) != 0 && errno != EEXIST) fail_with("cannot make", path);
    DIR *folder = opendir(path);
    if (!folder) fail_with("cannot read", path);
    for (struct dirent *entry; (entry = readdir(folder));) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
        if (strncmp(name, prefix, sizeof prefix - 1) != 0) fail("--db is a folder that holds other files");
        if (unlinkat(dirfd(folder), name, 0) != 0) fail_with("cannot remove", name);
    }
    closedir(folder);
    written_size = 0;
    for (size_t i = 0; i < PIECE; i += 8) {
        uint64_t word = mix64(i);
        memcpy(piece + i, &word, 8);
    }
}

static void attachment_name(char name[4096], uint64_t index) {
    char id[ID_CAPACITY];
    document_id(id, index, random_ids);
    snprintf(name, 4096, "%s/%s%s", path, prefix, id);
}

static void write_all(int file, const unsigned char *bytes, size_t count, const char *name) {
    while (count > 0) {
        ssize_t written = write(file, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail_with("cannot write", name);
        bytes += written;
        count -= (size_t)written;
    }
}

// Writes file number `index`, which differs from all others in its first bytes.
static void attach(uint64_t index, uint64_t size) {
    char name[4096], temporary[4096 + 8];
    attachment_name(name, index);
    snprintf(temporary, sizeof temporary, "%s.new", name);
    int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file < 0) fail_with("cannot make", temporary);
    uint64_t first = mix64(index);
    memcpy(piece, &first, 8);
    for (uint64_t rest = size; rest > 0;) {
        size_t count = rest < PIECE ? (size_t)rest : PIECE;
        write_all(file, piece, count, temporary);
        rest -= count;
    }
    if (full && fsync(file) != 0) fail_with("cannot sync", temporary);
    if (close(file) != 0) fail_with("cannot close", temporary);
    if (rename(temporary, name) != 0) fail_with("cannot rename", temporary);
    if (full) sync_folder(path);
}

static void attach_all(uint64_t size) {
    for (uint64_t index = 0; index < documents; index++) attach(index, size);
    written_size = size;
}

static void attach_small(void) { attach_all(given_size ? given_size : SMALL); }
static void attach_large(void) { attach_all(given_size ? given_size : LARGE); }

static void need_files(void) {
    if (written_size > 0) return;
    prepare_empty();
    attach_large();
}

// Reads each file and touches its bytes.
static void read_files(void) {
    static unsigned char buffer[PIECE];
    for (uint64_t index = 0; index < documents; index++) {
        char name[4096];
        attachment_name(name, index);
        int file = open(name, O_RDONLY | O_CLOEXEC);
        if (file < 0) fail_with("cannot open", name);
        uint64_t size = 0;
        for (;;) {
            ssize_t count = read(file, buffer, sizeof buffer);
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) fail_with("cannot read", name);
            if (count == 0) break;
            checksum += touch(buffer, (size_t)count);
            size += (uint64_t)count;
        }
        close(file);
        if (size != written_size) fail("a file does not have the size that was written");
    }
}

static const Workload workloads[] = {
    {"attach-small", prepare_empty, attach_small, NULL},
    {"attach-large", prepare_empty, attach_large, NULL},
    {"attachment-read", need_files, read_files, NULL},
};

static bool take_option(char **arguments, int *index) {
    if (!option(arguments, index, "--attachment-size")) return false;
    given_size = number_argument(arguments[*index], "--attachment-size");
    if (given_size == 0) fail("--attachment-size is at least 1");
    return true;
}

int main(int count, char **arguments) {
    const Program program = {
        .documents = 1000,
        .usage = "usage: --db FOLDER --workload NAME[,NAME...] [--docs N] [--attachment-size BYTES]"
                 " [--durability NORMAL|FULL] [--ids ordered|random]",
        .workloads = workloads,
        .workload_count = sizeof workloads / sizeof workloads[0],
        .take_option = take_option,
    };
    run_program(&program, count, arguments);
    return 0;
}
