#include "CSetteeRocksDB.h"

#ifdef SETTEE_ROCKSDB
#include <dlfcn.h>
#include <pthread.h>

// The first is the version that is tested. The functions used have had the same form since.
#if defined(__APPLE__)
static const char *const names[] = {
    "librocksdb.dylib", "/opt/homebrew/lib/librocksdb.dylib", "/usr/local/lib/librocksdb.dylib",
};
#else
static const char *const names[] = {
    "librocksdb.so.7.8", "librocksdb.so.8.9", "librocksdb.so.9.10", "librocksdb.so",
};
#endif

RocksAPI rocks_api;
static RocksLoading outcome = rocks_library_missing;

static void load(void)
{
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    bool is_whole = true;
#define ROCKS_TAKE(result, name, parameters, arguments) \
    *(void **)&rocks_api.name = dlsym(library, "rocksdb_" #name); \
    if (!rocks_api.name) is_whole = false;
    ROCKS_FUNCTIONS(ROCKS_TAKE)
#undef ROCKS_TAKE
    // The library stays: its threads run.
    outcome = is_whole ? rocks_loaded : rocks_library_unfit;
}

RocksLoading rocks_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return outcome;
}
#endif
