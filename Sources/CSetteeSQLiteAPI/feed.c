#include "CSetteeSQLiteAPI.h"
#include <sqlite3.h>
#include <stdlib.h>

/// The table `settee_feed`: a module without xCreate is a table of its own name in every statement of the connection, and in no
/// file. What is called here reads nothing but the cells that were lent, and keeps nothing beyond the statement.

typedef struct FeedTable {
    sqlite3_vtab base;
    const SQLiteFeed *feed;
} FeedTable;

typedef struct FeedCursor {
    sqlite3_vtab_cursor base;
    const SQLiteFeed *feed;
    /// The present row, and the end of all.
    const SQLiteCell *row, *end;
} FeedCursor;

static int feed_connect(
    sqlite3 *db, void *feed, int count, const char *const *arguments, sqlite3_vtab **table, char **message)
{
    const SQLiteAPI *api = ((const SQLiteFeed *)feed)->api;
    int code = api->declare_vtab(db, "CREATE TABLE feed(c0, c1, c2, c3, c4, c5, c6)");
    if (code != SQLITE_OK) return code;
    FeedTable *made = calloc(1, sizeof *made);
    if (!made) return SQLITE_NOMEM;
    made->feed = feed;
    *table = &made->base;
    return SQLITE_OK;
}

static int feed_disconnect(sqlite3_vtab *table)
{
    free(table);
    return SQLITE_OK;
}

static int feed_plan(sqlite3_vtab *table, sqlite3_index_info *info)
{
    info->estimatedCost = 1;
    return SQLITE_OK;
}

static int feed_open(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor)
{
    FeedCursor *made = calloc(1, sizeof *made);
    if (!made) return SQLITE_NOMEM;
    made->feed = ((FeedTable *)table)->feed;
    *cursor = &made->base;
    return SQLITE_OK;
}

static int feed_close(sqlite3_vtab_cursor *cursor)
{
    free(cursor);
    return SQLITE_OK;
}

static int feed_begin(sqlite3_vtab_cursor *cursor, int number, const char *text, int count, sqlite3_value **values)
{
    FeedCursor *own = (FeedCursor *)cursor;
    own->row = own->feed->cells;
    own->end = own->row + (size_t)own->feed->count * own->feed->columns;
    return SQLITE_OK;
}

static int feed_next(sqlite3_vtab_cursor *cursor)
{
    FeedCursor *own = (FeedCursor *)cursor;
    own->row += own->feed->columns;
    return SQLITE_OK;
}

static int feed_is_over(sqlite3_vtab_cursor *cursor) { return ((FeedCursor *)cursor)->row >= ((FeedCursor *)cursor)->end; }

static int feed_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column)
{
    const FeedCursor *own = (FeedCursor *)cursor;
    const SQLiteFeed *feed = own->feed;
    // A result that is not set is NULL.
    if (column >= feed->columns) return SQLITE_OK;
    const SQLiteCell *cell = own->row + column;
    const char *bytes = cell->bytes ? cell->bytes : "";
    switch (cell->type) {
        case sqlite_integer: feed->api->result_int64(context, cell->number); break;
        case sqlite_text:
            feed->api->result_text64(context, bytes, (sqlite3_uint64)cell->number, SQLITE_STATIC, SQLITE_UTF8);
            break;
        case sqlite_blob: feed->api->result_blob64(context, bytes, (sqlite3_uint64)cell->number, SQLITE_STATIC); break;
        default: break;
    }
    return SQLITE_OK;
}

static int feed_row_number(sqlite3_vtab_cursor *cursor, sqlite3_int64 *number)
{
    const FeedCursor *own = (FeedCursor *)cursor;
    *number = (own->row - own->feed->cells) / own->feed->columns;
    return SQLITE_OK;
}

int sqlite_add_feed(const SQLiteAPI *api, sqlite3 *db, SQLiteFeed *feed)
{
    static const sqlite3_module module = {
        .xConnect = feed_connect,
        .xBestIndex = feed_plan,
        .xDisconnect = feed_disconnect,
        .xOpen = feed_open,
        .xClose = feed_close,
        .xFilter = feed_begin,
        .xNext = feed_next,
        .xEof = feed_is_over,
        .xColumn = feed_column,
        .xRowid = feed_row_number,
    };
    feed->api = api;
    return api->create_module(db, "settee_feed", &module, feed);
}
