#include "CSetteeUnicode.h"

#include <stdlib.h>
#include <time.h>
#include <unicode/uregex.h>

struct settee_regex {
    URegularExpression *expression;
    int64_t deadline;
    uint32_t calls;
};

// ICU counts the steps back in ten thousands.
static const int32_t time_limit = 2000;
// Half of the bytes: ICU takes four for each number on its stack, which needs eight.
static const int32_t stack_limit = 8 << 20;
// What an object keeps between searches.
static const int32_t kept_stack = 4 << 10;

static int64_t used_nanoseconds(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)) return 0;
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static UBool goes_on(const settee_regex *regex) { return used_nanoseconds() < regex->deadline; }

// ICU calls this every ten thousand steps back.
static UBool U_CALLCONV step(const void *context, int32_t steps) {
    (void)steps;
    return goes_on(context);
}

// ICU calls this at every place where a match may begin. Atomic groups can read the whole text from each of them
// without a step back, so that the other limits never hold.
static UBool U_CALLCONV advance(const void *context, int64_t index) {
    (void)index;
    settee_regex *regex = (settee_regex *)context;
    return (regex->calls++ & 63) ? 1 : goes_on(regex);
}

static settee_regex *wrap(URegularExpression *expression, UErrorCode *error) {
    settee_regex *regex = U_SUCCESS(*error) ? calloc(1, sizeof *regex) : NULL;
    if (regex) {
        regex->expression = expression;
        uregex_setTimeLimit(expression, time_limit, error);
        uregex_setMatchCallback(expression, step, regex, error);
        uregex_setFindProgressCallback(expression, advance, regex, error);
        if (U_SUCCESS(*error)) return regex;
        free(regex);
    } else if (U_SUCCESS(*error)) {
        *error = U_MEMORY_ALLOCATION_ERROR;
    }
    if (expression) uregex_close(expression);
    return NULL;
}

settee_regex *settee_regex_open(const uint16_t *pattern, int32_t length, int32_t *status) {
    UErrorCode error = U_ZERO_ERROR;
    UParseError place;
    settee_regex *regex = wrap(uregex_open((const UChar *)pattern, length, 0, &place, &error), &error);
    *status = (int32_t)error;
    return regex;
}

settee_regex *settee_regex_clone(const settee_regex *regex, int32_t *status) {
    UErrorCode error = U_ZERO_ERROR;
    settee_regex *other = wrap(uregex_clone(regex->expression, &error), &error);
    *status = (int32_t)error;
    return other;
}

void settee_regex_close(settee_regex *regex) {
    uregex_close(regex->expression);
    free(regex);
}

int32_t settee_regex_find(
    settee_regex *regex, const uint16_t *text, int32_t length, int64_t *nanoseconds, int32_t *status
) {
    static const UChar nothing[1] = {0};
    UErrorCode error = U_ZERO_ERROR;
    regex->calls = 0;
    regex->deadline = used_nanoseconds() + *nanoseconds;
    uregex_setStackLimit(regex->expression, stack_limit, &error);
    uregex_setText(regex->expression, length > 0 ? (const UChar *)text : nothing, length, &error);
    UBool found = uregex_find(regex->expression, 0, &error);
    *nanoseconds = regex->deadline - used_nanoseconds();
    // The text is the caller's. A lower limit frees what is above it.
    UErrorCode ignored = U_ZERO_ERROR;
    uregex_setText(regex->expression, nothing, 0, &ignored);
    uregex_setStackLimit(regex->expression, kept_stack, &ignored);
    *status = (int32_t)error;
    if (error == U_REGEX_TIME_OUT || error == U_REGEX_STACK_OVERFLOW || error == U_REGEX_STOPPED_BY_CALLER) return -1;
    return U_FAILURE(error) ? -2 : found ? 1 : 0;
}
