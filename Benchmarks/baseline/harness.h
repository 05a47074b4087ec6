// What all programs share: options, document IDs, the documents in memory, touching bytes, the clock and the result lines.
#pragma once

#include "people/people.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ID_CAPACITY = 24 };

static inline void fail(const char *message) {
    fprintf(stderr, "%s\n", message);
    exit(2);
}

// Whether the argument at `*index` is the option `name`; then `*index` moves on to its value.
static inline bool option(char **arguments, int *index, const char *name) {
    if (strcmp(arguments[*index], name) != 0) return false;
    if (!arguments[++*index]) {
        fprintf(stderr, "%s needs a value\n", name);
        exit(2);
    }
    return true;
}

static inline uint64_t number_argument(const char *text, const char *name) {
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || value > 1000000000000u) {
        fprintf(stderr, "%s needs a whole number, not \"%s\"\n", name, text);
        exit(2);
    }
    return value;
}

static inline bool ids_are_random(const char *text) {
    if (strcmp(text, "random") == 0) return true;
    if (strcmp(text, "ordered") != 0) fail("--ids is ordered or random");
    return false;
}

// The ID of document `index` (from 0): `0000001`, ... or 16 hexadecimal digits in no order. Returns its length.
static inline int document_id(char id[ID_CAPACITY], uint64_t index, bool random) {
    if (random) return snprintf(id, ID_CAPACITY, "%016llx", (unsigned long long)mix64(index));
    return snprintf(id, ID_CAPACITY, "%07llu", (unsigned long long)index + 1);
}

// The document that random read number `turn` asks for.
static inline uint64_t random_document(uint64_t turn, uint64_t documents) { return mix64(~turn) % documents; }

// Reads every byte of what a workload has been given, so that both sides of a comparison fetch the same memory. The sum,
// modulo 2^64, of
//
//     the bytes in groups of eight from the first on, each group as a little-endian 64-bit number, and
//     the up to seven bytes that are left, each as a number of its own.
//
// So the sum of the ten bytes 01 00 00 00 00 00 00 00 02 03 is 1 + 2 + 3 = 6. The sum of no bytes is 0.
static inline uint64_t touch(const void *bytes, size_t length) {
    const unsigned char *byte = bytes;
    uint64_t sum = 0;
    size_t position = 0;
    for (; length - position >= 8; position += 8) {
        uint64_t word;
        memcpy(&word, byte + position, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
#endif
        sum += word;
    }
    for (; position < length; position++) sum += byte[position];
    return sum;
}

// The lines of a file that are not empty, read whole before anything is timed.
typedef struct {
    char *bytes;
    char **text;
    int *length;
    size_t count;
} Lines;

static inline void free_lines(Lines *lines) {
    free(lines->bytes);
    free(lines->text);
    free(lines->length);
    *lines = (Lines){NULL, NULL, NULL, 0};
}

static inline void fail_reading(const char *path) {
    fprintf(stderr, "cannot read %s: %s\n", path, strerror(errno));
    exit(1);
}

// Reads at most `most` lines.
static inline Lines read_lines(const char *path, uint64_t most) {
    FILE *file = fopen(path, "rb");
    struct stat status;
    if (!file || fstat(fileno(file), &status) != 0) fail_reading(path);
    if (!S_ISREG(status.st_mode)) fail("--data is not a file");
    size_t size = (size_t)status.st_size;
    char *bytes = malloc(size + 1);
    if (!bytes) fail("out of memory");
    errno = 0;
    if (fread(bytes, 1, size, file) != size) fail_reading(path);
    bytes[size] = '\n';
    fclose(file);

    Lines lines = {bytes, NULL, NULL, 0};
    size_t capacity = 0;
    for (char *line = bytes, *end = bytes + size; line < end && lines.count < most;) {
        char *newline = memchr(line, '\n', (size_t)(end - line) + 1);
        if (newline - line > INT_MAX / 2) fail("a line of the data file is too long");
        if (lines.count == capacity) {
            capacity = capacity ? capacity * 2 : 1024;
            lines.text = realloc(lines.text, capacity * sizeof *lines.text);
            lines.length = realloc(lines.length, capacity * sizeof *lines.length);
            if (!lines.text || !lines.length) fail("out of memory");
        }
        if (newline > line) {
            lines.text[lines.count] = line;
            lines.length[lines.count++] = (int)(newline - line);
        }
        line = newline + 1;
    }
    if (lines.count == 0) fail("the data file holds no documents");
    return lines;
}

// Forces the entries of a folder to the medium.
static inline void sync_folder(const char *folder) {
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0 || fsync(descriptor) != 0 || close(descriptor) != 0) fail("cannot sync the folder");
}

static inline double wall_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static inline double cpu_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

typedef struct {
    double wall, cpu;
} Stopwatch;

static inline Stopwatch start_stopwatch(void) { return (Stopwatch){wall_seconds(), cpu_seconds()}; }

// Prints the result line of a workload; `operations` is how many documents it counts.
static inline void report(const char *workload, uint64_t operations, Stopwatch started) {
    double wall = wall_seconds() - started.wall, cpu = cpu_seconds() - started.cpu;
    printf("{\"workload\":\"%s\",\"documents\":%llu,\"seconds\":%.6f,\"opsPerSecond\":%.1f,\"cpuSeconds\":%.6f}\n",
        workload, (unsigned long long)operations, wall, (double)operations / wall, cpu);
    fflush(stdout);
}
