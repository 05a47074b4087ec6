#pragma once

// ICU renames its functions by macros (ucol_open becomes ucol_open_72), which Swift cannot see: each function that is
// used gets a static inline form here.

#include <unicode/ucol.h>
#include <unicode/uloc.h>
#include <unicode/uversion.h>

static inline UCollator *settee_ucol_open(const char *locale, UErrorCode *status) { return ucol_open(locale, status); }

static inline void settee_ucol_close(UCollator *collator) { ucol_close(collator); }

static inline void settee_ucol_set_attribute(
    UCollator *collator, UColAttribute attribute, UColAttributeValue value, UErrorCode *status
) {
    ucol_setAttribute(collator, attribute, value, status);
}

static inline int32_t settee_ucol_get_sort_key(
    const UCollator *collator, const UChar *source, int32_t sourceLength, uint8_t *result, int32_t resultLength
) {
    return ucol_getSortKey(collator, source, sourceLength, result, resultLength);
}

static inline void settee_ucol_get_version(const UCollator *collator, uint8_t version[4]) {
    ucol_getVersion(collator, version);
}

static inline void settee_u_get_version(uint8_t version[4]) { u_getVersion(version); }
