// The options of `load`.
#pragma once

#include "connection.h"

typedef struct {
    const char *mode;
    int port;
    size_t connections;
    const char *target, *file, *database, *method, *type;
    uint64_t times, rate, seconds;
} Options;

static void usage(void) {
    fail("usage: load lines|file|get|slow|feeds --port P --target T [--connections N] [--times N] [--file F]\n"
         "            [--method M] [--type T] [--rate BYTES --seconds N] [--database /NAME]\n"
         "Benchmarks/listener/README.md has the modes.");
}

static Options read_options(char **arguments) {
    Options options = {.connections = 1, .method = "POST", .type = "application/json", .times = 1};
    options.mode = arguments[1];
    if (!options.mode) usage();
    for (int i = 2; arguments[i]; i++) {
        if (option(arguments, &i, "--port")) {
            options.port = (int)number_argument(arguments[i], "--port");
        } else if (option(arguments, &i, "--connections")) {
            options.connections = number_argument(arguments[i], "--connections");
        } else if (option(arguments, &i, "--times")) {
            options.times = number_argument(arguments[i], "--times");
        } else if (option(arguments, &i, "--rate")) {
            options.rate = number_argument(arguments[i], "--rate");
        } else if (option(arguments, &i, "--seconds")) {
            options.seconds = number_argument(arguments[i], "--seconds");
        } else if (option(arguments, &i, "--target")) {
            options.target = arguments[i];
        } else if (option(arguments, &i, "--file")) {
            options.file = arguments[i];
        } else if (option(arguments, &i, "--database")) {
            options.database = arguments[i];
        } else if (option(arguments, &i, "--method")) {
            options.method = arguments[i];
        } else if (option(arguments, &i, "--type")) {
            options.type = arguments[i];
        } else {
            usage();
        }
    }
    if (!options.port || !options.target || !options.connections || !options.times) usage();
    return options;
}
