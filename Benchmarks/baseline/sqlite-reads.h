// The workloads of sqlite.c that read. It includes this when it has opened a database and filled it.
#pragma once

#define SELECT_DOCUMENT "SELECT version, sequence, body FROM docs WHERE id = ?"

// Runs a query that begins at one ID and steps to its first row.
static void find(sqlite3_stmt *query, const char *id, int length) {
    sqlite3_bind_text(query, 1, id, length, SQLITE_STATIC);
    if (sqlite3_step(query) == SQLITE_ROW) return;
    check(sqlite3_reset(query), sqlite3_sql(query));
    fail("a document that was inserted is missing");
}

// Reads every byte of a column that holds text or a blob.
static uint64_t touch_column(sqlite3_stmt *query, int column) {
    const void *bytes = sqlite3_column_blob(query, column);
    return touch(bytes, (size_t)sqlite3_column_bytes(query, column));
}

static void read_document(sqlite3_stmt *query, uint64_t index) {
    char id[ID_CAPACITY];
    find(query, id, document_id(id, index, random_ids));
    checksum += touch_column(query, 0) + (uint64_t)sqlite3_column_int64(query, 1) + touch_column(query, 2);
    sqlite3_reset(query);
}

// Touches rows of ID, version, sequence and, if it was asked for, body. Returns how many there were.
static uint64_t touch_rows(sqlite3_stmt *query) {
    bool with_bodies = sqlite3_column_count(query) > 3;
    uint64_t rows = 0;
    int result;
    while ((result = sqlite3_step(query)) == SQLITE_ROW) {
        checksum += touch_column(query, 0) + touch_column(query, 1) + (uint64_t)sqlite3_column_int64(query, 2);
        if (with_bodies) checksum += touch_column(query, 3);
        rows++;
    }
    check(result, sqlite3_sql(query));
    sqlite3_reset(query);
    return rows;
}

static void scan(const char *sql) {
    sqlite3_stmt *query = prepare(sql);
    uint64_t rows = touch_rows(query);
    sqlite3_finalize(query);
    if (rows != documents) fail("a scan did not give every document");
}

static void read_singly(void) {
    sqlite3_stmt *query = prepare(SELECT_DOCUMENT);
    for (uint64_t turn = 0; turn < documents; turn++) read_document(query, random_document(turn, documents));
    sqlite3_finalize(query);
}

static void read_snapshot(void) {
    run("BEGIN");
    read_singly();
    run("COMMIT");
}

// Reads each document by its ID, in no order: a transaction and a prepared statement for each query of `KEYS` IDs.
static void read_keys(const char *sql, bool with_bodies) {
    for (uint64_t turn = 0; turn < documents;) {
        uint64_t end = documents - turn < KEYS ? documents : turn + KEYS;
        run("BEGIN");
        sqlite3_stmt *query = prepare(sql);
        for (; turn < end; turn++) {
            char id[ID_CAPACITY];
            find(query, id, document_id(id, turn * KEY_STEP % documents, random_ids));
            checksum += touch_column(query, 0) + (uint64_t)sqlite3_column_int64(query, 1);
            if (with_bodies) checksum += touch_column(query, 2);
            sqlite3_reset(query);
        }
        sqlite3_finalize(query);
        run("COMMIT");
    }
}

static void read_keys_alone(void) { read_keys("SELECT version, sequence FROM docs WHERE id = ?", false); }
static void read_keys_docs(void) { read_keys(SELECT_DOCUMENT, true); }

static void scan_ids(void) { scan("SELECT id, version, sequence, body FROM docs ORDER BY id"); }
static void scan_changes(void) { scan("SELECT id, version, sequence FROM docs WHERE sequence > 0 ORDER BY sequence"); }

// Opens the file anew and reads a document, again and again.
static void open_and_read(void) {
    close_file();
    for (uint64_t i = 0; i < OPENINGS; i++) {
        open_file(0);
        sqlite3_stmt *query = prepare(SELECT_DOCUMENT);
        read_document(query, random_document(i, documents));
        sqlite3_finalize(query);
        close_file();
    }
    open_file(0);
    configure();
}
