// An HTTP/1.1 answer that is read as it comes; its body is counted and dropped.
#pragma once

#include "../baseline/harness.h"

#include <strings.h>

enum { HEAD_CAPACITY = 4096 };

typedef struct {
    enum { AT_HEAD, IN_BODY, AT_CHUNK, IN_CHUNK, BEHIND_CHUNK, AT_TRAILER, COMPLETE } state;
    char head[HEAD_CAPACITY]; // The head, then each line that frames a chunk.
    size_t used;
    int status;
    uint64_t left; // Bytes of the body, or of the chunk, that have not come.
    uint64_t bytes; // Of the body so far.
} Answer;

static inline void begin_answer(Answer *answer) {
    answer->state = AT_HEAD;
    answer->used = 0;
    answer->status = 0;
    answer->left = answer->bytes = 0;
}

// Reads the complete head. Returns whether it can be understood.
static inline bool read_head(Answer *answer) {
    if (sscanf(answer->head, "HTTP/1.1 %d", &answer->status) != 1) return false;
    bool is_chunked = false;
    uint64_t length = 0;
    for (char *line = strstr(answer->head, "\r\n"); line; line = strstr(line, "\r\n")) {
        line += 2;
        if (strncasecmp(line, "content-length:", 15) == 0) length = strtoull(line + 15, NULL, 10);
        if (strncasecmp(line, "transfer-encoding: chunked", 26) == 0) is_chunked = true;
    }
    answer->used = 0;
    answer->left = length;
    answer->state = is_chunked ? AT_CHUNK : length ? IN_BODY : COMPLETE;
    return true;
}

// Takes a line that frames a chunk.
static inline void read_line(Answer *answer) {
    answer->head[answer->used] = 0;
    switch (answer->state) {
    case AT_CHUNK:
        answer->left = strtoull(answer->head, NULL, 16);
        answer->state = answer->left ? IN_CHUNK : AT_TRAILER;
        break;
    case BEHIND_CHUNK: answer->state = AT_CHUNK; break;
    case AT_TRAILER:
        if (answer->used == 2) answer->state = COMPLETE;
        break;
    default: break;
    }
    answer->used = 0;
}

// Takes bytes that have come. Returns whether they were understood.
static inline bool take_bytes(Answer *answer, const char *bytes, size_t count) {
    size_t position = 0;
    while (position < count) {
        switch (answer->state) {
        case IN_BODY:
        case IN_CHUNK: {
            size_t some = count - position < answer->left ? count - position : (size_t)answer->left;
            position += some;
            answer->left -= some;
            answer->bytes += some;
            if (answer->left == 0) answer->state = answer->state == IN_BODY ? COMPLETE : BEHIND_CHUNK;
            break;
        }
        case COMPLETE: return false;
        default:
            if (answer->used == HEAD_CAPACITY - 1) return false;
            answer->head[answer->used++] = bytes[position++];
            if (answer->head[answer->used - 1] != '\n') break;
            if (answer->state != AT_HEAD) {
                read_line(answer);
            } else if (answer->used >= 4 && memcmp(answer->head + answer->used - 4, "\r\n\r\n", 4) == 0) {
                answer->head[answer->used] = 0;
                if (!read_head(answer)) return false;
            }
        }
    }
    return true;
}
