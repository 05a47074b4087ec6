// What looks at 16 bytes in one step. It stands in C because Swift's comparisons of SIMD vectors become loops over single
// bytes; the compiler makes of this here what the processor has for it (SSE2, NEON), without code for any of them.

#ifndef CSETTEEVECTORS_H
#define CSETTEEVECTORS_H

#include <stdint.h>

typedef signed char csv_bytes __attribute__((ext_vector_type(16)));
typedef _Bool csv_flags __attribute__((ext_vector_type(16)));

#define csv_where(comparison) __builtin_convertvector(comparison, csv_flags)

static inline uint32_t csv_bits(csv_flags flags) {
    uint16_t bits;
    __builtin_memcpy(&bits, &flags, sizeof bits);
    return bits;
}

/// Of the 16 bytes from `start`, those that end a run of plain characters in a JSON string: quotes, backslashes, control and
/// non-ASCII characters. The first byte has the lowest bit.
static inline uint32_t csv_string_stops(const void *_Nonnull start) {
    csv_bytes bytes;
    __builtin_memcpy(&bytes, start, sizeof bytes);
    // With this bit turned over, quotes (0x22) come right after the control characters, before all others from 0x20; and
    // signed, what is not ASCII comes before them.
    return csv_bits(csv_where((bytes ^ 2) < 0x21) | csv_where(bytes == '\\'));
}

/// Of the 16 bytes from `start`, the quotes and backslashes.
static inline uint32_t csv_quotes(const void *_Nonnull start) {
    csv_bytes bytes;
    __builtin_memcpy(&bytes, start, sizeof bytes);
    return csv_bits(csv_where(bytes == '"') | csv_where(bytes == '\\'));
}

/// Of the 16 bytes from `start`, those that end a number or a word: commas and closing brackets.
static inline uint32_t csv_word_ends(const void *_Nonnull start) {
    csv_bytes bytes;
    __builtin_memcpy(&bytes, start, sizeof bytes);
    return csv_bits(csv_where(bytes == ',') | csv_where((bytes | 0x20) == '}'));
}

/// Of the 16 bytes from `start`, the quotes, and from bit 16 the brackets, with a few letters that only occur in strings.
static inline uint32_t csv_structure(const void *_Nonnull start) {
    csv_bytes bytes;
    __builtin_memcpy(&bytes, start, sizeof bytes);
    return csv_bits(csv_where(bytes == '"')) | csv_bits(csv_where((bytes | 0x26) == 0x7F)) << 16;
}

/// Of the 16 bytes from `start`, the backslashes.
static inline uint32_t csv_backslashes(const void *_Nonnull start) {
    csv_bytes bytes;
    __builtin_memcpy(&bytes, start, sizeof bytes);
    return csv_bits(csv_where(bytes == '\\'));
}

#endif
