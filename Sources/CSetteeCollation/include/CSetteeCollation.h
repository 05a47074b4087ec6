#pragma once

// ICU's root collation behind a header of its own: ICU's headers must not reach Swift, where the ones that Foundation
// brings along declare the same names.

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
