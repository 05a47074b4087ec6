#include "counter.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>

void counter_begin(void) { CALLGRIND_ZERO_STATS; }
void counter_end(const char *name) { CALLGRIND_DUMP_STATS_AT(name); }
int counter_is_running(void) { return RUNNING_ON_VALGRIND != 0; }
#else
void counter_begin(void) {}
void counter_end(const char *name) { (void)name; }
int counter_is_running(void) { return 0; }
#endif
