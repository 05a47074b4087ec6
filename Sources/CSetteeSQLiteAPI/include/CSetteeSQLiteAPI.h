#pragma once

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

/// The functions of one SQLite library, as a table, so that one SQL store serves several libraries that export the same
/// names: the linked libsqlite3, and later an encrypting one that is loaded at run time. This header deliberately does
/// not include <sqlite3.h>: Swift code that imports it cannot call a library past its table.

#pragma clang diagnostic push
// The table's fields need no annotations: Swift calls only the wrappers.
#pragma clang diagnostic ignored "-Wnullability-completeness"

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;
typedef struct sqlite3_value sqlite3_value;
typedef struct sqlite3_context sqlite3_context;
typedef struct sqlite3_module sqlite3_module;

/// Numbers of SQLite's C interface, stable since 3.7; linked.c asserts that they agree with the header compiled against.
#define sqlite_ok 0
#define sqlite_error 1
#define sqlite_internal 2
#define sqlite_perm 3
#define sqlite_abort 4
#define sqlite_busy 5
#define sqlite_locked 6
#define sqlite_nomem 7
#define sqlite_readonly 8
#define sqlite_interrupt 9
#define sqlite_ioerr 10
#define sqlite_corrupt 11
#define sqlite_full 13
#define sqlite_cantopen 14
#define sqlite_protocol 15
#define sqlite_schema 17
#define sqlite_toobig 18
#define sqlite_constraint 19
#define sqlite_mismatch 20
#define sqlite_misuse 21
#define sqlite_auth 23
#define sqlite_range 25
#define sqlite_notadb 26
#define sqlite_row 100
#define sqlite_done 101

#define sqlite_integer 1
#define sqlite_text 3
#define sqlite_blob 4
#define sqlite_null 5

#define sqlite_open_readonly 0x00000001
#define sqlite_open_readwrite 0x00000002
#define sqlite_open_create 0x00000004
#define sqlite_open_uri 0x00000040
#define sqlite_open_nomutex 0x00008000
/// Before SQLite 3.31 it has no meaning.
#define sqlite_open_nofollow 0x01000000

#define sqlite_prepare_persistent 0x01

#define sqlite_checkpoint_passive 0
#define sqlite_checkpoint_restart 2
#define sqlite_checkpoint_truncate 3

#define sqlite_dbconfig_enable_trigger 1003
#define sqlite_dbconfig_trusted_schema 1017

typedef struct SQLiteAPI {
    const char *(*libversion)(void);
    int (*libversion_number)(void);
    int (*threadsafe)(void);
    const char *(*errstr)(int);
    int (*open_v2)(const char *, sqlite3 **, int, const char *);
    int (*close)(sqlite3 *);
    int (*close_v2)(sqlite3 *);
    int (*extended_result_codes)(sqlite3 *, int);
    int (*extended_errcode)(sqlite3 *);
    /// Null before SQLite 3.12.
    int (*system_errno)(sqlite3 *);
    int (*busy_timeout)(sqlite3 *, int);
    int (*db_config)(sqlite3 *, int, ...);
    int (*get_autocommit)(sqlite3 *);
    int (*file_control)(sqlite3 *, const char *, int, void *);
    int (*total_changes)(sqlite3 *);
    int (*changes)(sqlite3 *);
    long long (*last_insert_rowid)(sqlite3 *);
    int (*exec)(sqlite3 *, const char *, int (*)(void *, int, char **, char **), void *, char **);
    int (*prepare_v2)(sqlite3 *, const char *, int, sqlite3_stmt **, const char **);
    /// Null before SQLite 3.20; `sqlite_prepare` falls back to `prepare_v2`.
    int (*prepare_v3)(sqlite3 *, const char *, int, unsigned int, sqlite3_stmt **, const char **);
    int (*finalize)(sqlite3_stmt *);
    int (*step)(sqlite3_stmt *);
    int (*reset)(sqlite3_stmt *);
    int (*bind_int64)(sqlite3_stmt *, int, long long);
    int (*bind_null)(sqlite3_stmt *, int);
    int (*bind_blob64)(sqlite3_stmt *, int, const void *, unsigned long long, void (*)(void *));
    int (*bind_text64)(sqlite3_stmt *, int, const char *, unsigned long long, void (*)(void *), unsigned char);
    int (*column_type)(sqlite3_stmt *, int);
    long long (*column_int64)(sqlite3_stmt *, int);
    sqlite3_value *(*column_value)(sqlite3_stmt *, int);
    int (*value_type)(sqlite3_value *);
    const void *(*value_blob)(sqlite3_value *);
    int (*value_bytes)(sqlite3_value *);
    int (*wal_checkpoint_v2)(sqlite3 *, const char *, int, int *, int *);
    void *(*wal_hook)(sqlite3 *, int (*)(void *, sqlite3 *, const char *, int), void *);
    void (*progress_handler)(sqlite3 *, int, int (*)(void *), void *);
    int (*db_status)(sqlite3 *, int, int *, int *, int);
    int (*create_function_v2)(
        sqlite3 *, const char *, int, int, void *, void (*)(sqlite3_context *, int, sqlite3_value **),
        void (*)(sqlite3_context *, int, sqlite3_value **), void (*)(sqlite3_context *), void (*)(void *));
    void *(*user_data)(sqlite3_context *);
    int (*create_module)(sqlite3 *, const char *, const sqlite3_module *, void *);
    int (*declare_vtab)(sqlite3 *, const char *);
    void (*result_error_code)(sqlite3_context *, int);
    void (*result_int64)(sqlite3_context *, long long);
    void (*result_blob64)(sqlite3_context *, const void *, unsigned long long, void (*)(void *));
    void (*result_text64)(sqlite3_context *, const char *, unsigned long long, void (*)(void *), unsigned char);
    /// Null in a library that does not encrypt.
    int (*key_v2)(sqlite3 *, const char *, const void *, int);
} SQLiteAPI;

/// The table of the libsqlite3 that the program is linked against.
const SQLiteAPI *_Nonnull sqlite_api_linked(void);

/// Why a library could not be loaded.
typedef enum SQLiteLoading {
    sqlite_loaded,
    /// The system has no such library.
    sqlite_library_missing,
    /// It lacks functions that are needed.
    sqlite_library_unfit,
    /// A second library with the same symbols cannot be loaded here: the C library has no RTLD_DEEPBIND, or a sanitizer refuses it.
    sqlite_loading_unsupported,
} SQLiteLoading;

/// The table of libsqlcipher, loaded with the first call into a scope of its own: its symbols are those of libsqlite3, and neither
/// may call the other's. Null where `loading` says why not. The same at every call.
const SQLiteAPI *_Nullable sqlite_api_of_sqlcipher(SQLiteLoading *_Nonnull loading);

// The calls, through a table. Static inline, because a function pointer in a struct imports into Swift as an optional
// closure.

static inline const char *_Nonnull sqlite_libversion(const SQLiteAPI *_Nonnull api) { return api->libversion(); }
static inline int sqlite_libversion_number(const SQLiteAPI *_Nonnull api) { return api->libversion_number(); }
static inline int sqlite_threadsafe(const SQLiteAPI *_Nonnull api) { return api->threadsafe(); }
static inline const char *_Nonnull sqlite_errstr(const SQLiteAPI *_Nonnull api, int code) { return api->errstr(code); }

static inline int sqlite_open(
    const SQLiteAPI *_Nonnull api, const char *_Nonnull path, int flags, sqlite3 *_Nullable *_Nonnull db)
{
    return api->open_v2(path, db, flags, NULL);
}

static inline int sqlite_close(const SQLiteAPI *_Nonnull api, sqlite3 *_Nonnull db) { return api->close(db); }
static inline int sqlite_close_v2(const SQLiteAPI *_Nonnull api, sqlite3 *_Nonnull db) { return api->close_v2(db); }

static inline void sqlite_use_extended_codes(const SQLiteAPI *_Nonnull api, sqlite3 *_Nonnull db)
{
    api->extended_result_codes(db, 1);
}

static inline int sqlite_extended_errcode(const SQLiteAPI *_Nonnull api, sqlite3 *_Nonnull db)
{
    return api->extended_errcode(db);
}

/// The system's error number behind a failure just seen. SQLite 3.40 does not note that of a failed COMMIT: then errno
/// still has it.
static inline int sqlite_system_errno(const SQLiteAPI *_Nonnull api, sqlite3 *_Nonnull db)
{
    int noted = api->system_errno ? api->system_errno(db) : 0;
    return noted ? noted : errno;
}

/// The system's error number of the last read or write of the connection's file, or of its log, that failed; 0 if none
/// has. A statement whose read fails by EIO ends with SQLITE_CORRUPT, as if the file were damaged, and notes no number.
int sqlite_errno_of_files(const SQLiteAPI *_Nonnull api, sqlite3 *_Nonnull db);

static inline void sqlite_busy_timeout(const SQLiteAPI *_Nonnull api, sqlite3 *_Nonnull db, int milliseconds)
{
    api->busy_timeout(db, milliseconds);
}

/// Sets a switch of `sqlite3_db_config`; a library that does not know it ignores it.
static inline void sqlite_configure(const SQLiteAPI *_Nonnull api, sqlite3 *_Nonnull db, int which, int value)
{
    int now = 0;
    api->db_config(db, which, value, &now);
}

static inline int sqlite_get_autocommit(const SQLiteAPI *_Nonnull api, sqlite3 *_Nonnull db)
{
    return api->get_autocommit(db);
}

/// A number that differs once the file's content does, also by a change of this connection; as of the last transaction
/// that it began or ended. False before SQLite 3.20, which does not know it.
static inline _Bool sqlite_data_version(
    const SQLiteAPI *_Nonnull api, sqlite3 *_Nonnull db, unsigned int *_Nonnull version
)
{
    return api->file_control(db, "main", 35 /* SQLITE_FCNTL_DATA_VERSION */, version) == 0;
}

static inline int sqlite_total_changes(const SQLiteAPI *_Nonnull api, sqlite3 *_Nonnull db)
{
    return api->total_changes(db);
}

static inline int sqlite_changes(const SQLiteAPI *_Nonnull api, sqlite3 *_Nonnull db) { return api->changes(db); }

static inline long long sqlite_last_insert_rowid(const SQLiteAPI *_Nonnull api, sqlite3 *_Nonnull db)
{
    return api->last_insert_rowid(db);
}

static inline int sqlite_exec(const SQLiteAPI *_Nonnull api, sqlite3 *_Nonnull db, const char *_Nonnull sql)
{
    errno = 0;
    return api->exec(db, sql, NULL, NULL, NULL);
}

/// Prepares a statement that will be kept.
static inline int sqlite_prepare(
    const SQLiteAPI *_Nonnull api, sqlite3 *_Nonnull db, const char *_Nonnull sql,
    sqlite3_stmt *_Nullable *_Nonnull statement)
{
    if (api->prepare_v3) return api->prepare_v3(db, sql, -1, sqlite_prepare_persistent, statement, NULL);
    return api->prepare_v2(db, sql, -1, statement, NULL);
}

static inline int sqlite_finalize(const SQLiteAPI *_Nonnull api, sqlite3_stmt *_Nullable s) { return api->finalize(s); }
static inline int sqlite_step(const SQLiteAPI *_Nonnull api, sqlite3_stmt *_Nonnull s) { return api->step(s); }
static inline int sqlite_reset(const SQLiteAPI *_Nonnull api, sqlite3_stmt *_Nonnull s) { return api->reset(s); }

static inline int sqlite_bind_int64(const SQLiteAPI *_Nonnull api, sqlite3_stmt *_Nonnull s, int at, long long value)
{
    return api->bind_int64(s, at, value);
}

static inline int sqlite_bind_null(const SQLiteAPI *_Nonnull api, sqlite3_stmt *_Nonnull s, int at)
{
    return api->bind_null(s, at);
}

/// Binds bytes without copying them: they must stay as they are until the statement is reset or bound again. A null
/// pointer binds the empty value, not NULL.
static inline int sqlite_bind_blob_static(
    const SQLiteAPI *_Nonnull api, sqlite3_stmt *_Nonnull s, int at, const void *_Nullable bytes, size_t count)
{
    return api->bind_blob64(s, at, bytes ? bytes : "", count, NULL);
}

/// As `sqlite_bind_blob_static`, for UTF-8 text.
static inline int sqlite_bind_text_static(
    const SQLiteAPI *_Nonnull api, sqlite3_stmt *_Nonnull s, int at, const void *_Nullable bytes, size_t count)
{
    return api->bind_text64(s, at, bytes ? (const char *)bytes : "", count, NULL, 1);
}

static inline int sqlite_column_type(const SQLiteAPI *_Nonnull api, sqlite3_stmt *_Nonnull s, int at)
{
    return api->column_type(s, at);
}

static inline long long sqlite_column_int64(const SQLiteAPI *_Nonnull api, sqlite3_stmt *_Nonnull s, int at)
{
    return api->column_int64(s, at);
}

/// The bytes of a text or blob where they are, valid until the next step or reset; null for an empty one. Half the work of the `sqlite3_column_` functions, which lock and check at each
/// call. They must be used where a connection serialises its calls; ours do not (SQLITE_OPEN_NOMUTEX).
static inline const void *_Nullable sqlite_column_bytes(
    const SQLiteAPI *_Nonnull api, sqlite3_stmt *_Nonnull s, int at, int *_Nonnull type, int *_Nonnull count)
{
    sqlite3_value *value = api->column_value(s, at);
    *type = api->value_type(value);
    const void *bytes = api->value_blob(value);
    *count = bytes ? api->value_bytes(value) : 0;
    return bytes;
}

static inline int sqlite_checkpoint(
    const SQLiteAPI *_Nonnull api, sqlite3 *_Nonnull db, int mode, int *_Nonnull frames, int *_Nonnull moved)
{
    return api->wal_checkpoint_v2(db, "main", mode, frames, moved);
}

/// Syncs the log's file through the connection's own descriptor, which needs nobody's leave: what any process has committed
/// to it survives power loss afterwards. Nothing happens where the file is written without a log.
int sqlite_sync_log(const SQLiteAPI *_Nonnull api, sqlite3 *_Nonnull db);

/// Reads `count` bytes of the log's file through the connection's own descriptor. False where it does not have them.
_Bool sqlite_read_log(const SQLiteAPI *_Nonnull api, sqlite3 *_Nonnull db, void *_Nonnull to, int count, int64_t at);

/// Goes on with the checksum of a log over `count` bytes, a multiple of 8, whose words are in the given order.
void sqlite_log_checksum(const void *_Nonnull bytes, size_t count, _Bool big_endian, uint32_t sums[_Nonnull 2]);

/// Whether any process has a connection to the log whose shared memory is the file at `path`. Opens and closes that file, which
/// drops this process's locks on it: only before the process has a connection.
_Bool sqlite_log_is_in_use(const char *_Nonnull path);

static inline int sqlite_count_frames(void *context, sqlite3 *db, const char *name, int frames)
{
    *(int *)context = frames;
    return 0;
}

/// Has every commit store the number of frames in the log at `frames`; this also ends automatic checkpoints.
static inline void sqlite_watch_log(const SQLiteAPI *_Nonnull api, sqlite3 *_Nonnull db, int *_Nonnull frames)
{
    api->wal_hook(db, sqlite_count_frames, frames);
}

/// The length in bytes of a key of pages.
#define sqlite_key_length 32

/// Sets the key of a connection that has read nothing yet: `sqlite_key_length` bytes, used as they are.
int sqlite_set_key(const SQLiteAPI *_Nonnull api, sqlite3 *_Nonnull db, const void *_Nonnull key);

/// Attaches a file under the name `schema`, with a key as above. The SQL has neither the path nor the key in it.
int sqlite_attach_with_key(
    const SQLiteAPI *_Nonnull api, sqlite3 *_Nonnull db, const char *_Nonnull uri, const char *_Nonnull schema,
    const void *_Nonnull key);

/// How many pages the connection did not find in its memory so far. It may wrap.
static inline int sqlite_page_misses(const SQLiteAPI *_Nonnull api, sqlite3 *_Nonnull db) {
    int misses = 0, highest = 0;
    api->db_status(db, 8 /* SQLITE_DBSTATUS_CACHE_MISS */, &misses, &highest, 0);
    return misses;
}

/// How many bytes of memory the connection's page cache takes.
static inline int sqlite_cache_bytes(const SQLiteAPI *_Nonnull api, sqlite3 *_Nonnull db) {
    int used = 0, highest = 0;
    api->db_status(db, 1 /* SQLITE_DBSTATUS_CACHE_USED */, &used, &highest, 0);
    return used;
}

/// Has reads of the schema's file fail (SQLITE_IOERR_DATA) where a page of it is all zeros: no page of an encrypted file is.
int sqlite_refuse_empty_pages(const SQLiteAPI *_Nonnull api, sqlite3 *_Nonnull db, const char *_Nonnull schema);

/// How many frames of the log, from its first, hold what was committed. The connection must be reading.
uint32_t sqlite_frames_of_log(const SQLiteAPI *_Nonnull api, sqlite3 *_Nonnull db);

/// The length in bytes of the database's file. Negative where it cannot be told.
int64_t sqlite_file_length(const SQLiteAPI *_Nonnull api, sqlite3 *_Nonnull db);

/// Reads `count` bytes of the database's file through the connection's own descriptor. False where it does not have them.
_Bool sqlite_read_file(const SQLiteAPI *_Nonnull api, sqlite3 *_Nonnull db, void *_Nonnull to, int count, int64_t at);

/// Has `callback` called every `steps` virtual machine steps; a non-zero answer interrupts the statement.
static inline void sqlite_progress_handler(
    const SQLiteAPI *_Nonnull api, sqlite3 *_Nonnull db, int steps, int (*_Nullable callback)(void *_Nullable),
    void *_Nullable context)
{
    api->progress_handler(db, steps, callback, context);
}

/// A value of a row that SQLite reads from our memory.
typedef struct SQLiteCell {
    /// Of a text or blob; null for an empty one.
    const void *_Nullable bytes;
    /// The number, or how many bytes there are.
    int64_t number;
    /// sqlite_integer, sqlite_text, sqlite_blob or sqlite_null.
    int32_t type;
} SQLiteCell;

/// The rows that the table `settee_feed` of a connection has, row by row in `cells`. Its columns are c0 to c6; those from
/// `columns` on are NULL. Cells and bytes are read where they are while a statement that reads the table runs, and must
/// not change until then.
typedef struct SQLiteFeed {
    const SQLiteAPI *_Nullable api;
    const SQLiteCell *_Nullable cells;
    int32_t columns;
    int32_t count;
} SQLiteFeed;

/// Gives a connection the table `settee_feed`. `feed` must stay until the connection is closed with all its statements.
int sqlite_add_feed(const SQLiteAPI *_Nonnull api, sqlite3 *_Nonnull db, SQLiteFeed *_Nonnull feed);

/// What the function `settee_passes(id, body)` of a connection asks. A negative answer ends the statement.
typedef struct SQLiteRowTest {
    int32_t (*_Nullable call)(
        void *_Nullable context, const void *_Nullable id, int32_t id_length, const void *_Nullable body,
        int32_t body_length);
    void *_Nullable context;
} SQLiteRowTest;

/// Gives a connection the function `settee_passes`. `test` must stay until the connection is closed with all its
/// statements; what it asks may change between two steps of a statement.
int sqlite_add_row_test(const SQLiteAPI *_Nonnull api, sqlite3 *_Nonnull db, SQLiteRowTest *_Nonnull test);

#pragma clang diagnostic pop
