// The people data: made-up persons as JSON, 150 to 1,000 bytes each, the same bytes from the same seed on every machine.
//
// Document number `i` depends on nothing but the seed and `i`. About a tenth are small (no street, no mail), about a tenth
// carry a long note. Members are not in canonical order, as in data from outside. `score` is uniform below 1,000,000.
#pragma once

#include <stdint.h>

enum { PERSON_CAPACITY = 4096 };

// SplitMix64: the finaliser alone, and the generator made of it.
static inline uint64_t mix64(uint64_t value) {
    value += 0x9E3779B97F4A7C15u;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
}

// Writes person `index` (from 0) as JSON without a newline into `text`, which has room for PERSON_CAPACITY bytes.
// Returns the length in bytes.
int person_json(char *text, uint64_t seed, uint64_t index);
