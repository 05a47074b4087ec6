#include "CCollation.h"

#include <unicode/ucol.h>
#include <unicode/uversion.h>

settee_collator *settee_collator_open(int32_t *status) {
    UErrorCode error = U_ZERO_ERROR;
    UCollator *collator = ucol_open("", &error);
    if (U_SUCCESS(error)) ucol_setAttribute(collator, UCOL_STRENGTH, UCOL_TERTIARY, &error);
    *status = (int32_t)error;
    if (U_SUCCESS(error)) return (settee_collator *)collator;
    if (collator) ucol_close(collator);
    return NULL;
}

int32_t settee_collator_sort_key(
    const settee_collator *collator, const uint16_t *source, int32_t sourceLength, uint8_t *result, int32_t resultLength
) {
    return ucol_getSortKey((const UCollator *)collator, (const UChar *)source, sourceLength, result, resultLength);
}

void settee_collator_version(const settee_collator *collator, uint8_t version[4]) {
    ucol_getVersion((const UCollator *)collator, version);
}

void settee_icu_version(uint8_t version[4]) { u_getVersion(version); }
