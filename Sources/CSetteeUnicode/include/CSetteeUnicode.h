#pragma once

// What we use of ICU, behind a header of its own: the root collation, and regular expressions with limits. ICU's headers
// must not reach Swift, where the ones that Foundation brings along declare the same names.

#include <stdint.h>

/// A collator, for the life of the process.
typedef struct settee_collator settee_collator;

/// Opens the root collation with tertiary strength. NULL where ICU cannot, with ICU's error number in `*status`.
settee_collator *settee_collator_open(int32_t *status);

/// Writes the sort key of UTF-16 text if there is room. Returns its length with the 0x00 at its end, 0 where ICU failed.
int32_t settee_collator_sort_key(
    const settee_collator *collator, const uint16_t *source, int32_t sourceLength, uint8_t *result, int32_t resultLength
);

/// Writes the texts that the collator takes as one (contractions), as UTF-16, each followed by a zero, as far as there is
/// room. Returns how many units they are, -1 where ICU failed.
int32_t settee_collator_contractions(const settee_collator *collator, uint16_t *result, int32_t resultLength);

/// The four parts of the collation's version.
void settee_collator_version(const settee_collator *collator, uint8_t version[4]);

/// The four parts of ICU's version.
void settee_icu_version(uint8_t version[4]);

/// A regular expression. One thread at a time may search with it.
typedef struct settee_regex settee_regex;

/// Compiles a pattern of UTF-16 text. NULL where ICU refuses it, or lacks memory, with ICU's error number in `*status`.
settee_regex *settee_regex_open(const uint16_t *pattern, int32_t length, int32_t *status);

/// Makes another one of the same pattern, for another thread. Several threads may do so at a time, while no thread
/// searches with `regex`. NULL where ICU cannot, with ICU's error number in `*status`.
settee_regex *settee_regex_clone(const settee_regex *regex, int32_t *status);

void settee_regex_close(settee_regex *regex);

/// Searches UTF-16 text. Returns 1 if the pattern matches anywhere in it, 0 if it does not, -1 if the search was ended
/// because it needed too much time or memory, and -2 where ICU failed, with ICU's error number in `*status`.
///
/// The limits: `*nanoseconds` of the thread's processor time, from which the time used is taken away, 20 million steps
/// back, and 16 MiB for them.
int32_t settee_regex_find(
    settee_regex *regex, const uint16_t *text, int32_t length, int64_t *nanoseconds, int32_t *status
);
