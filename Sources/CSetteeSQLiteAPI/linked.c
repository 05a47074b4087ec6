#include "CSetteeSQLiteAPI.h"
#include <sqlite3.h>

// Functions that came after the oldest library served (3.15) stay out where the header compiled against lacks them.
#if SQLITE_VERSION_NUMBER >= 3020000
#define SETTEE_PREPARE_V3 sqlite3_prepare_v3
#else
#define SETTEE_PREPARE_V3 NULL
#endif

static const SQLiteAPI linked = {
    .libversion = sqlite3_libversion,
    .libversion_number = sqlite3_libversion_number,
    .threadsafe = sqlite3_threadsafe,
    .errstr = sqlite3_errstr,
    .open_v2 = sqlite3_open_v2,
    .close = sqlite3_close,
    .close_v2 = sqlite3_close_v2,
    .extended_result_codes = sqlite3_extended_result_codes,
    .extended_errcode = sqlite3_extended_errcode,
    .system_errno = sqlite3_system_errno,
    .busy_timeout = sqlite3_busy_timeout,
    .db_config = sqlite3_db_config,
    .get_autocommit = sqlite3_get_autocommit,
    .file_control = sqlite3_file_control,
    .total_changes = sqlite3_total_changes,
    .changes = sqlite3_changes,
    .last_insert_rowid = sqlite3_last_insert_rowid,
    .exec = sqlite3_exec,
    .prepare_v2 = sqlite3_prepare_v2,
    .prepare_v3 = SETTEE_PREPARE_V3,
    .finalize = sqlite3_finalize,
    .step = sqlite3_step,
    .reset = sqlite3_reset,
    .bind_int64 = sqlite3_bind_int64,
    .bind_null = sqlite3_bind_null,
    .bind_blob64 = sqlite3_bind_blob64,
    .bind_text64 = sqlite3_bind_text64,
    .column_type = sqlite3_column_type,
    .column_int64 = sqlite3_column_int64,
    .column_value = sqlite3_column_value,
    .value_type = sqlite3_value_type,
    .value_blob = sqlite3_value_blob,
    .value_bytes = sqlite3_value_bytes,
    .wal_checkpoint_v2 = sqlite3_wal_checkpoint_v2,
    .wal_hook = sqlite3_wal_hook,
    .progress_handler = sqlite3_progress_handler,
    .db_status = sqlite3_db_status,
    .create_function_v2 = sqlite3_create_function_v2,
    .user_data = sqlite3_user_data,
    .create_module = sqlite3_create_module,
    .declare_vtab = sqlite3_declare_vtab,
    .result_error_code = sqlite3_result_error_code,
    .result_int64 = sqlite3_result_int64,
    .result_blob64 = sqlite3_result_blob64,
    .result_text64 = sqlite3_result_text64,
};

const SQLiteAPI *sqlite_api_linked(void) { return &linked; }

#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #ours)
SAME(sqlite_ok, SQLITE_OK);
SAME(sqlite_error, SQLITE_ERROR);
SAME(sqlite_internal, SQLITE_INTERNAL);
SAME(sqlite_perm, SQLITE_PERM);
SAME(sqlite_abort, SQLITE_ABORT);
SAME(sqlite_busy, SQLITE_BUSY);
SAME(sqlite_locked, SQLITE_LOCKED);
SAME(sqlite_nomem, SQLITE_NOMEM);
SAME(sqlite_readonly, SQLITE_READONLY);
SAME(sqlite_interrupt, SQLITE_INTERRUPT);
SAME(sqlite_ioerr, SQLITE_IOERR);
SAME(sqlite_corrupt, SQLITE_CORRUPT);
SAME(sqlite_full, SQLITE_FULL);
SAME(sqlite_cantopen, SQLITE_CANTOPEN);
SAME(sqlite_protocol, SQLITE_PROTOCOL);
SAME(sqlite_schema, SQLITE_SCHEMA);
SAME(sqlite_toobig, SQLITE_TOOBIG);
SAME(sqlite_constraint, SQLITE_CONSTRAINT);
SAME(sqlite_mismatch, SQLITE_MISMATCH);
SAME(sqlite_misuse, SQLITE_MISUSE);
SAME(sqlite_auth, SQLITE_AUTH);
SAME(sqlite_range, SQLITE_RANGE);
SAME(sqlite_notadb, SQLITE_NOTADB);
SAME(sqlite_row, SQLITE_ROW);
SAME(sqlite_done, SQLITE_DONE);
SAME(sqlite_integer, SQLITE_INTEGER);
SAME(sqlite_text, SQLITE_TEXT);
SAME(sqlite_blob, SQLITE_BLOB);
SAME(sqlite_null, SQLITE_NULL);
SAME(sqlite_open_readonly, SQLITE_OPEN_READONLY);
SAME(sqlite_open_readwrite, SQLITE_OPEN_READWRITE);
SAME(sqlite_open_create, SQLITE_OPEN_CREATE);
SAME(sqlite_open_uri, SQLITE_OPEN_URI);
SAME(sqlite_open_nomutex, SQLITE_OPEN_NOMUTEX);
#ifdef SQLITE_OPEN_NOFOLLOW
SAME(sqlite_open_nofollow, SQLITE_OPEN_NOFOLLOW);
#endif
SAME(sqlite_checkpoint_passive, SQLITE_CHECKPOINT_PASSIVE);
SAME(sqlite_checkpoint_restart, SQLITE_CHECKPOINT_RESTART);
SAME(sqlite_checkpoint_truncate, SQLITE_CHECKPOINT_TRUNCATE);
SAME(sqlite_dbconfig_enable_trigger, SQLITE_DBCONFIG_ENABLE_TRIGGER);
#ifdef SQLITE_DBCONFIG_TRUSTED_SCHEMA
SAME(sqlite_dbconfig_trusted_schema, SQLITE_DBCONFIG_TRUSTED_SCHEMA);
#endif
