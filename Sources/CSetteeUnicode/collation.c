#include "CSetteeUnicode.h"

#include <unicode/ucol.h>
#include <unicode/uset.h>
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

int32_t settee_collator_contractions(const settee_collator *collator, uint16_t *result, int32_t resultLength) {
    UErrorCode error = U_ZERO_ERROR;
    USet *set = uset_openEmpty();
    if (!set) return -1;
    ucol_getContractionsAndExpansions((const UCollator *)collator, set, NULL, 0, &error);
    int32_t length = 0;
    int32_t items = U_SUCCESS(error) ? uset_getItemCount(set) : 0;
    for (int32_t item = 0; item < items && U_SUCCESS(error); item++) {
        UChar text[64];
        UChar32 first, last;
        // 0: a range of single characters, which are none.
        int32_t count = uset_getItem(set, item, &first, &last, text, 64, &error);
        if (U_FAILURE(error) || count == 0) continue;
        for (int32_t index = 0; index < count; index++, length++) {
            if (length < resultLength) result[length] = text[index];
        }
        if (length < resultLength) result[length] = 0;
        length++;
    }
    uset_close(set);
    return U_SUCCESS(error) ? length : -1;
}

void settee_collator_version(const settee_collator *collator, uint8_t version[4]) {
    ucol_getVersion((const UCollator *)collator, version);
}

void settee_icu_version(uint8_t version[4]) { u_getVersion(version); }
