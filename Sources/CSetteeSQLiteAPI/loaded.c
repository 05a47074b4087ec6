#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // RTLD_DEEPBIND
#endif
#include "CSetteeSQLiteAPI.h"
#include <dlfcn.h>
#include <pthread.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SETTEE_SANITIZED 1
#endif
#endif

#if defined(__APPLE__)
// Libraries of two levels of names call their own functions anyway.
#define SETTEE_OWN_SCOPE 0
static const char *const names[] = {
    "libsqlcipher.dylib", "libsqlcipher.0.dylib", "/opt/homebrew/lib/libsqlcipher.dylib", "/usr/local/lib/libsqlcipher.dylib",
};
#elif defined(RTLD_DEEPBIND) && !defined(SETTEE_SANITIZED)
#define SETTEE_OWN_SCOPE RTLD_DEEPBIND
static const char *const names[] = {"libsqlcipher.so.0", "libsqlcipher.so.1", "libsqlcipher.so"};
#endif

static SQLiteAPI table;
static SQLiteLoading outcome = sqlite_loading_unsupported;

#ifdef SETTEE_OWN_SCOPE
/// Whether the whole table comes from one library other than the linked one. `dlsym` also searches a library's dependencies, and a
/// link to libsqlite3 under this name would not encrypt.
static _Bool is_of_its_own(void)
{
    Dl_info key, open, linked;
    return dladdr((void *)table.key_v2, &key) && dladdr((void *)table.open_v2, &open)
        && dladdr((void *)sqlite_api_linked()->open_v2, &linked) && key.dli_fbase == open.dli_fbase
        && open.dli_fbase != linked.dli_fbase;
}

static void load(void)
{
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | SETTEE_OWN_SCOPE);
    outcome = sqlite_library_missing;
    if (!library) return;
    _Bool is_whole = 1;
#define TAKE(name, needed) \
    do { \
        *(void **)&table.name = dlsym(library, "sqlite3_" #name); \
        if (needed && !table.name) is_whole = 0; \
    } while (0)
    TAKE(libversion, 1);
    TAKE(libversion_number, 1);
    TAKE(threadsafe, 1);
    TAKE(errstr, 1);
    TAKE(open_v2, 1);
    TAKE(close, 1);
    TAKE(close_v2, 1);
    TAKE(extended_result_codes, 1);
    TAKE(extended_errcode, 1);
    TAKE(system_errno, 0);
    TAKE(busy_timeout, 1);
    TAKE(db_config, 1);
    TAKE(get_autocommit, 1);
    TAKE(file_control, 1);
    TAKE(total_changes, 1);
    TAKE(changes, 1);
    TAKE(last_insert_rowid, 1);
    TAKE(exec, 1);
    TAKE(prepare_v2, 1);
    TAKE(prepare_v3, 0);
    TAKE(finalize, 1);
    TAKE(step, 1);
    TAKE(reset, 1);
    TAKE(bind_int64, 1);
    TAKE(bind_null, 1);
    TAKE(bind_blob64, 1);
    TAKE(bind_text64, 1);
    TAKE(column_type, 1);
    TAKE(column_int64, 1);
    TAKE(column_value, 1);
    TAKE(value_type, 1);
    TAKE(value_blob, 1);
    TAKE(value_bytes, 1);
    TAKE(wal_checkpoint_v2, 1);
    TAKE(wal_hook, 1);
    TAKE(progress_handler, 1);
    TAKE(db_status, 1);
    TAKE(create_function_v2, 1);
    TAKE(user_data, 1);
    TAKE(create_module, 1);
    TAKE(declare_vtab, 1);
    TAKE(result_error_code, 1);
    TAKE(result_int64, 1);
    TAKE(result_blob64, 1);
    TAKE(result_text64, 1);
    // Without it a key would be passed over in silence, and the file be plain.
    TAKE(key_v2, 1);
#undef TAKE
    // The library stays: connections may have been made of it.
    outcome = is_whole && is_of_its_own() ? sqlite_loaded : sqlite_library_unfit;
}
#else
static void load(void) {}
#endif

const SQLiteAPI *sqlite_api_of_sqlcipher(SQLiteLoading *loading)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    *loading = outcome;
    return outcome == sqlite_loaded ? &table : NULL;
}
