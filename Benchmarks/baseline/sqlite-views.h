// The workloads of sqlite.c with an index on a value inside the documents, as one would make it with SQLite alone. It
// includes this after its own functions.
#pragma once

#define SCORE "json_extract(CAST(body AS TEXT), '$.score')"

static void need_plain(void) {
    if (scored || named || changed) make_database();
    need_documents();
}

static void create_index(void) {
    run("CREATE INDEX by_score ON docs (" SCORE ")");
    scored = true;
}

static void create_string_index(void) {
    run("CREATE INDEX by_name ON docs (json_extract(CAST(body AS TEXT), '$.name.last'))");
    named = true;
}

static void need_index(void) {
    need_documents();
    if (!scored) create_index();
}

// Keeps the bodies that `change_some` is about to replace.
static void prepare_changes(void) {
    if (changed) make_database();
    need_index();
    Updater updater = make_updater();
    run("BEGIN IMMEDIATE");
    for (uint64_t number = 0; number < count_changed(); number++) {
        char id[ID_CAPACITY];
        keep_body(&updater, id, document_id(id, changed_document(number), random_ids));
    }
    run("COMMIT");
    free_updater(&updater);
    changed = true;
}

// SQLite updates its index within the UPDATE, so the documents' own rows are in the time as well.
static void change_some(void) {
    Updater updater = make_updater();
    run("BEGIN IMMEDIATE");
    for (uint64_t number = 0; number < count_changed(); number++) {
        char id[ID_CAPACITY];
        uint64_t index = changed_document(number);
        size_t line = line_of(index + 7);
        int length = document_id(id, index, random_ids);
        replace(&updater, id, length, index, 2, lines.text[line], lines.length[line]);
    }
    run("COMMIT");
    free_updater(&updater);
}

// The key of the row that comes after `rank` others.
static double key_at(sqlite3_stmt *query, uint64_t rank) {
    sqlite3_bind_int64(query, 1, (sqlite3_int64)rank);
    if (sqlite3_step(query) != SQLITE_ROW) fail("the index has too few rows");
    double key = sqlite3_column_double(query, 0);
    sqlite3_reset(query);
    return key;
}

static double range_bounds[RANGES + 1];

static void prepare_ranges(void) {
    need_index();
    sqlite3_stmt *query = prepare("SELECT " SCORE " FROM docs ORDER BY " SCORE " LIMIT 1 OFFSET ?");
    for (uint64_t i = 0; i < RANGES; i++) range_bounds[i] = key_at(query, documents * i / RANGES);
    range_bounds[RANGES] = key_at(query, documents - 1) + 1;
    sqlite3_finalize(query);
}

static void read_ranges(void) {
    sqlite3_stmt *query = prepare("SELECT " SCORE ", id FROM docs WHERE " SCORE " >= ? AND " SCORE " < ? ORDER BY " SCORE);
    uint64_t rows = 0;
    for (int i = 0; i < RANGES; i++) {
        sqlite3_bind_double(query, 1, range_bounds[i]);
        sqlite3_bind_double(query, 2, range_bounds[i + 1]);
        int result;
        while ((result = sqlite3_step(query)) == SQLITE_ROW) {
            checksum += (uint64_t)(int64_t)sqlite3_column_double(query, 0) + touch_column(query, 1);
            rows++;
        }
        check(result, "ranges");
        sqlite3_reset(query);
    }
    sqlite3_finalize(query);
    if (rows != documents) fail("the ranges did not give every document");
}

// Counts the documents with a number below a limit, without an index.
static void count_low(void) {
    sqlite3_stmt *query = prepare("SELECT count(*) FROM docs NOT INDEXED WHERE " SCORE " < 10000");
    if (sqlite3_step(query) != SQLITE_ROW) fail("there is no count");
    checksum += (uint64_t)sqlite3_column_int64(query, 0);
    sqlite3_finalize(query);
}

// Opens the file and reads the first row of the index, again and again.
static void open_first(void) {
    close_file();
    for (int i = 0; i < OPENINGS; i++) {
        open_file(0);
        sqlite3_stmt *query = prepare("SELECT " SCORE ", id FROM docs ORDER BY " SCORE " LIMIT 1");
        if (sqlite3_step(query) != SQLITE_ROW) fail("the index is empty");
        checksum += (uint64_t)(int64_t)sqlite3_column_double(query, 0) + touch_column(query, 1);
        sqlite3_finalize(query);
        close_file();
    }
    open_file(0);
    configure();
}
