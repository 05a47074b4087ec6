// Longpolls that wait, and how soon a write answers them.
#pragma once

#include "options.h"

#include <math.h>

static int compare_times(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

// Reads what comes until `until`, or until `count` answers are complete, whose times since `began` it notes.
static size_t await_answers(int poll, double *times, size_t count, double began, double until) {
    struct epoll_event events[256];
    size_t complete = 0;
    while (complete < count) {
        double left = until - wall_seconds();
        if (left <= 0) break;
        int ready = epoll_wait(poll, events, 256, (int)ceil(left * 1000));
        for (int i = 0; i < ready; i++) {
            Connection *connection = events[i].data.ptr;
            while (connection->answer.state != COMPLETE && receive(connection, SIZE_MAX) > 0) {}
            if (connection->answer.state != COMPLETE) continue;
            if (connection->answer.status != 200) fail("a feed was refused");
            times[complete++] = (wall_seconds() - began) * 1000;
        }
    }
    return complete;
}

// Begins a longpoll on each connection, some at a time, as clients come one after another. Afterwards all of them wait:
// nothing has come for some time.
static void begin_feeds(int poll, Connection *feeds, const Options *options, double settled) {
    enum { GROUP = 250 };
    double none[1];
    for (size_t i = 0; i < options->connections; i++) {
        if (!send_request(&feeds[i], "GET", options->target, NULL, NULL, 0)) fail("a request was not sent at once");
        if (i % GROUP == GROUP - 1) (void)await_answers(poll, none, 1, 0, wall_seconds() + 0.05);
    }
    (void)await_answers(poll, none, 1, 0, wall_seconds() + settled);
}

// Writes a document, and returns when its answer has come.
static double write_document(Connection *writer, const Options *options, size_t turn) {
    char target[TARGET_CAPACITY];
    snprintf(target, sizeof target, "%s/feed-%d-%zu", options->database, (int)getpid(), turn);
    static const char body[] = "{\"name\":\"written while others wait\"}";
    if (!send_request(writer, "PUT", target, "application/json", body, sizeof body - 1)) fail("cannot send a document");
    return writer->began;
}

static void finish_write(Connection *writer) {
    while (writer->answer.state != COMPLETE) (void)receive(writer, SIZE_MAX);
    if (writer->answer.status != 201) fail("a document was refused");
}

// Opens all feeds, says so, and waits for a line on standard input. Then writes `--times` documents, one after another,
// each when all feeds wait again, and tells after how many milliseconds the feeds were answered.
static void run_feeds(const Options *options) {
    int poll = epoll_create1(EPOLL_CLOEXEC);
    size_t count = options->connections;
    Connection *feeds = calloc(count, sizeof *feeds), writer;
    double *times = calloc(count, sizeof *times), *lasts = calloc(options->times, sizeof *lasts);
    if (!feeds || !times || !lasts) fail("out of memory");
    for (size_t i = 0; i < count; i++) {
        open_connection(&feeds[i], options->port, 0);
        watch_connection(poll, &feeds[i], EPOLLIN, true);
    }
    begin_feeds(poll, feeds, options, 2);
    printf("{\"waiting\":%zu}\n", count);
    fflush(stdout);
    char line[16];
    if (!fgets(line, sizeof line, stdin) || !options->database) return;
    open_connection(&writer, options->port, 0);
    fcntl(writer.socket, F_SETFL, 0);
    double median = 0;
    for (uint64_t turn = 0; turn < options->times; turn++) {
        if (turn > 0) begin_feeds(poll, feeds, options, 0.03);
        double began = write_document(&writer, options, turn);
        if (await_answers(poll, times, count, began, began + 30) < count) fail("feeds were not answered within 30 s");
        finish_write(&writer);
        qsort(times, count, sizeof *times, compare_times);
        median = times[count / 2];
        lasts[turn] = times[count - 1];
    }
    qsort(lasts, options->times, sizeof *lasts, compare_times);
    printf("{\"feeds\":%zu,\"turns\":%llu,\"medianMilliseconds\":%.3f,\"lastMilliseconds\":%.3f}\n", count,
        (unsigned long long)options->times, median, lasts[options->times / 2]);
}
