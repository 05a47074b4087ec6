// What the baseline programs share: options, document IDs, the documents in memory, the clock and the result lines.
#pragma once

#include "people/people.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

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

// The lines of a file, read whole before anything is timed.
typedef struct {
    char **text;
    int *length;
    size_t count;
} Lines;

static inline Lines read_lines(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        fprintf(stderr, "cannot read %s: %s\n", path, strerror(errno));
        exit(1);
    }
    long size = ftell(file);
    rewind(file);
    char *bytes = malloc((size_t)size + 1);
    if (!bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size) fail("cannot read the documents");
    bytes[size] = '\n';
    fclose(file);

    Lines lines = {NULL, NULL, 0};
    size_t capacity = 0;
    for (char *line = bytes, *end = bytes + size; line < end;) {
        char *newline = memchr(line, '\n', (size_t)(end - line) + 1);
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

// Prints the result line of a workload.
static inline void report(const char *workload, uint64_t documents, Stopwatch started) {
    double wall = wall_seconds() - started.wall, cpu = cpu_seconds() - started.cpu;
    printf("{\"workload\":\"%s\",\"documents\":%llu,\"seconds\":%.6f,\"opsPerSecond\":%.1f,\"cpuSeconds\":%.6f}\n",
        workload, (unsigned long long)documents, wall, (double)documents / wall, cpu);
    fflush(stdout);
}
