// What looks at 16 bytes in one step. It stands in C because Swift's comparisons of SIMD vectors become loops over single
// bytes; the compiler makes of this here what the processor has for it (SSE2, NEON), without code for any of them.

#ifndef CSETTEEVECTORS_H
#define CSETTEEVECTORS_H

#include <stdint.h>

typedef signed char csv_bytes __attribute__((ext_vector_type(16)));
typedef _Bool csv_flags __attribute__((ext_vector_type(16)));

/// Of the 16 bytes from `start`, those that end a run of plain characters in a JSON string: quotes, backslashes, control and
/// non-ASCII characters. The first byte has the lowest bit.
static inline uint32_t csv_string_stops(const void *_Nonnull start) {
    csv_bytes bytes;
    __builtin_memcpy(&bytes, start, sizeof bytes);
    // With this bit turned over, quotes (0x22) come right after the control characters, before all others from 0x20; and
    // signed, what is not ASCII comes before them.
    csv_flags low = __builtin_convertvector((bytes ^ 2) < 0x21, csv_flags);
    csv_flags backslashes = __builtin_convertvector(bytes == '\\', csv_flags);
    csv_flags stops = low | backslashes;
    uint16_t bits;
    __builtin_memcpy(&bits, &stops, sizeof bits);
    return bits;
}

#endif
