// Requests to a server of this computer, and how many it answers. README.md in this folder describes the modes.
#include "feeds.h"

#include <sys/mman.h>

// What is sent, request after request: lines of a file, a whole file, or nothing.
typedef struct {
    Lines lines;
    const char *whole;
    size_t length;
    uint64_t next, count;
} Bodies;

static const char *map_file(const char *path, size_t *length) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0) fail_reading(path);
    *length = (size_t)status.st_size;
    void *bytes = mmap(NULL, *length, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED) fail_reading(path);
    close(file);
    return bytes;
}

static Bodies read_bodies(const Options *options) {
    Bodies bodies = {.count = options->times};
    if (strcmp(options->mode, "get") == 0) return bodies;
    if (!options->file) usage();
    if (strcmp(options->mode, "file") == 0) {
        bodies.whole = map_file(options->file, &bodies.length);
    } else {
        bodies.lines = read_lines(options->file, UINT64_MAX);
        bodies.count = bodies.lines.count;
    }
    return bodies;
}

// Begins the next request on a connection, and watches it. Returns false if there are no more.
static bool begin_next(int poll, Connection *connection, Bodies *bodies, const Options *options, bool is_new) {
    if (bodies->next == bodies->count) return false;
    uint64_t turn = bodies->next++;
    const char *body = bodies->lines.count ? bodies->lines.text[turn] : bodies->whole;
    size_t length = bodies->lines.count ? (size_t)bodies->lines.length[turn] : bodies->length;
    const char *method = body ? options->method : "GET";
    bool is_sent = send_request(connection, method, options->target, options->type, body, length);
    watch_connection(poll, connection, EPOLLIN | (is_sent ? 0 : EPOLLOUT), is_new);
    return true;
}

static void run_requests(const Options *options) {
    Bodies bodies = read_bodies(options);
    int poll = epoll_create1(EPOLL_CLOEXEC);
    size_t open = 0;
    uint64_t refused = 0, received = 0, answered = 0;
    Connection *connections = calloc(options->connections, sizeof *connections);
    if (!connections) fail("out of memory");
    for (size_t i = 0; i < options->connections; i++) open_connection(&connections[i], options->port, 0);
    double began = wall_seconds();
    for (size_t i = 0; i < options->connections; i++) open += begin_next(poll, &connections[i], &bodies, options, true);
    struct epoll_event events[64];
    while (open > 0) {
        int ready = epoll_wait(poll, events, 64, -1);
        for (int i = 0; i < ready; i++) {
            Connection *connection = events[i].data.ptr;
            if (events[i].events & EPOLLOUT && send_more(connection)) watch_connection(poll, connection, EPOLLIN, false);
            if (!(events[i].events & ~(uint32_t)EPOLLOUT)) continue;
            (void)receive(connection, SIZE_MAX);
            if (connection->answer.state != COMPLETE) continue;
            answered += 1;
            refused += connection->answer.status / 100 != 2;
            received += connection->answer.bytes;
            if (!begin_next(poll, connection, &bodies, options, false)) open -= 1;
        }
    }
    double seconds = wall_seconds() - began;
    printf("{\"requests\":%llu,\"refused\":%llu,\"receivedBytes\":%llu,\"seconds\":%.6f,\"requestsPerSecond\":%.2f}\n",
        (unsigned long long)answered, (unsigned long long)refused, (unsigned long long)received, seconds,
        (double)answered / seconds);
    if (refused) fail("requests were refused");
}

// All connections ask for the target, and read `--rate` bytes of it a second, for so long.
static void run_slow(const Options *options) {
    enum { TICKS = 10 };
    Connection *connections = calloc(options->connections, sizeof *connections);
    if (!connections) fail("out of memory");
    uint64_t received = 0, complete = 0;
    for (size_t i = 0; i < options->connections; i++) {
        open_connection(&connections[i], options->port, 8192);
        (void)send_request(&connections[i], "GET", options->target, NULL, NULL, 0);
    }
    for (uint64_t tick = 0; tick < options->seconds * TICKS; tick++) {
        usleep(1000000 / TICKS);
        for (size_t i = 0; i < options->connections; i++) {
            if (connections[i].answer.state == COMPLETE) continue;
            received += receive(&connections[i], options->rate / TICKS);
            complete += connections[i].answer.state == COMPLETE;
        }
    }
    printf("{\"readers\":%zu,\"complete\":%llu,\"receivedBytes\":%llu,\"seconds\":%llu}\n", options->connections,
        (unsigned long long)complete, (unsigned long long)received, (unsigned long long)options->seconds);
}

int main(int count, char **arguments) {
    (void)count;
    Options options = read_options(arguments);
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    if (strcmp(options.mode, "feeds") == 0) {
        run_feeds(&options);
    } else if (strcmp(options.mode, "slow") == 0) {
        run_slow(&options);
    } else if (strcmp(options.mode, "lines") == 0 || strcmp(options.mode, "file") == 0
        || strcmp(options.mode, "get") == 0) {
        run_requests(&options);
    } else {
        usage();
    }
    return 0;
}
