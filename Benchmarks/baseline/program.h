// The frame of a baseline program: its options, the table of its workloads, and running those that are named. Included
// once, by the file with `main`.
#pragma once

#include "harness.h"
#include "zipfian.h"

enum { BATCH = 1000, VERSION_SIZE = 20 };

static const char *path;
static bool full;  // durability is FULL, not NORMAL
static uint64_t documents;
static uint64_t operations;  // turns of the workloads that have turns
static bool random_ids;
static Lines lines;
static uint64_t checksum;  // keeps the compiler from dropping reads

typedef struct {
    const char *name;
    void (*before)(void);          // untimed
    void (*run)(void);
    uint64_t (*operations)(void);  // how many it counts; NULL: one for each document
} Workload;

typedef struct {
    uint64_t documents;  // unless --docs is given
    const char *usage;
    const Workload *workloads;
    size_t workload_count;
    bool needs_data;
    // Whether the argument at `*index` is an option that only this program has; then it has taken it. May be NULL.
    bool (*take_option)(char **arguments, int *index);
} Program;

// How many turns of a hundred write, in the mixes of YCSB.
enum { YCSB_A = 50, YCSB_B = 5, YCSB_C = 0, YCSB_E = 5, YCSB_F = 50 };

enum {
    OPENINGS = 200,
    RANGES = 100,     // of `view-range`
    KEYS = 1000,      // IDs in a query of `read-keys`
    KEY_STEP = 7919,  // the distance between consecutive IDs in a query: a prime number, so that all documents are read
};

static inline uint64_t count_operations(void) { return operations; }
static inline uint64_t count_openings(void) { return OPENINGS; }

// `view-update` gives every hundredth document the content of the one that is 7 further.
static inline uint64_t count_changed(void) { return documents < 100 ? 1 : documents / 100; }
static inline uint64_t changed_document(uint64_t number) { return number * 100 % documents; }

// The line for document `index`, and for any other number.
static inline size_t line_of(uint64_t index) { return (size_t)(index % lines.count); }

// Stands in for a revision ID: 20 bytes that differ between documents and between versions.
static inline void make_version(unsigned char version[VERSION_SIZE], uint64_t index, uint64_t generation) {
    uint64_t words[3] = {mix64(index), mix64(index ^ generation << 40), generation};
    memcpy(version, words, VERSION_SIZE);
}

static const Workload *workload_named(const Program *program, const char *name) {
    for (size_t i = 0; i < program->workload_count; i++) {
        if (strcmp(program->workloads[i].name, name) == 0) return &program->workloads[i];
    }
    fprintf(stderr, "no workload \"%s\"; there are:", name);
    for (size_t i = 0; i < program->workload_count; i++) fprintf(stderr, " %s", program->workloads[i].name);
    fprintf(stderr, "\n");
    exit(2);
}

static void measure(const Workload *workload) {
    workload->before();
    Stopwatch started = start_stopwatch();
    workload->run();
    report(workload->name, workload->operations ? workload->operations() : documents, started);
}

// Reads the options and runs the workloads that they name, in their order.
static void run_program(const Program *program, int count, char **arguments) {
    const char *data = NULL, *names = NULL;
    documents = program->documents;
    for (int i = 1; i < count; i++) {
        if (option(arguments, &i, "--db")) {
            path = arguments[i];
        } else if (option(arguments, &i, "--data")) {
            data = arguments[i];
        } else if (option(arguments, &i, "--workload")) {
            names = arguments[i];
        } else if (option(arguments, &i, "--docs")) {
            documents = number_argument(arguments[i], "--docs");
            if (documents == 0) fail("--docs is at least 1");
        } else if (option(arguments, &i, "--operations")) {
            operations = number_argument(arguments[i], "--operations");
            if (operations == 0) fail("--operations is at least 1");
        } else if (option(arguments, &i, "--durability")) {
            full = strcmp(arguments[i], "FULL") == 0;
            if (!full && strcmp(arguments[i], "NORMAL") != 0) fail("--durability is NORMAL or FULL");
        } else if (option(arguments, &i, "--ids")) {
            random_ids = ids_are_random(arguments[i]);
        } else if (!program->take_option || !program->take_option(arguments, &i)) {
            fprintf(stderr, "unknown option \"%s\"\n%s\n", arguments[i], program->usage);
            exit(2);
        }
    }
    if (!path || !*path || !names || (program->needs_data && !data)) fail(program->usage);
    if (strlen(path) > 4000) fail("--db is too long");
    if (operations == 0) operations = documents;

    // All names are looked up first: a wrong one at the end would cost the run.
    const Workload *chosen[100];
    size_t chosen_count = 0;
    char *list = strdup(names);
    if (!list) fail("out of memory");
    for (char *name = strtok(list, ","); name; name = strtok(NULL, ",")) {
        if (chosen_count == sizeof chosen / sizeof chosen[0]) fail("--workload names too many");
        chosen[chosen_count++] = workload_named(program, name);
    }
    free(list);
    if (chosen_count == 0) fail("--workload names none");

    if (program->needs_data) lines = read_lines(data, documents);
    for (size_t i = 0; i < chosen_count; i++) measure(chosen[i]);
    if (program->needs_data) free_lines(&lines);
    if (checksum == 1) fprintf(stderr, "-\n");
}
