#include "CSetteeSQLiteAPI.h"
#include <sqlite3.h>

/// The function `settee_passes(id, body)`. A function of SQLite gets no API from its caller, and what belongs to a
/// connection can only be asked of the connection's own library: so there is one function for each library.

static inline void ask(const SQLiteAPI *api, sqlite3_context *context, sqlite3_value **values)
{
    const SQLiteRowTest *test = api->user_data(context);
    // No schema of a file may call it by itself.
    if (!test->call) {
        api->result_error_code(context, SQLITE_MISUSE);
        return;
    }
    if (api->value_type(values[0]) != SQLITE_TEXT || api->value_type(values[1]) != SQLITE_TEXT) {
        api->result_error_code(context, SQLITE_CORRUPT);
        return;
    }
    // The bytes as they are: to ask for a text adds a zero.
    const void *id = api->value_blob(values[0]), *body = api->value_blob(values[1]);
    int32_t answer = test->call(
        test->context, id, id ? api->value_bytes(values[0]) : 0, body, body ? api->value_bytes(values[1]) : 0);
    if (answer < 0) {
        api->result_error_code(context, SQLITE_ABORT);
    } else {
        api->result_int64(context, answer);
    }
}

static void passes_linked(sqlite3_context *context, int count, sqlite3_value **values)
{
    ask(sqlite_api_linked(), context, values);
}

/// The same at every registration.
static const SQLiteAPI *_Atomic loaded;

static void passes_loaded(sqlite3_context *context, int count, sqlite3_value **values) { ask(loaded, context, values); }

int sqlite_add_row_test(const SQLiteAPI *api, sqlite3 *db, SQLiteRowTest *test)
{
    _Bool is_linked = api == sqlite_api_linked();
    if (!is_linked) loaded = api;
    return api->create_function_v2(
        db, "settee_passes", 2, SQLITE_UTF8 | 0x80000 /* SQLITE_DIRECTONLY */, test,
        is_linked ? passes_linked : passes_loaded, NULL, NULL, NULL);
}
