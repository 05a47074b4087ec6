// What SQLite can do with the same documents when nothing is in the way: no JSON, no digests, no revision trees.
//
// baseline-sqlite --db PATH --data FILE --workload NAME[,NAME...] [--docs N] [--operations N] [--durability NORMAL|FULL]
//          [--ids ordered|random] [--rows-per-insert N]
//
// PATH and its -wal and -shm are deleted at the start. FILE holds JSON lines; when it has fewer than N they repeat. A
// workload that needs documents, documents that were updated, or an index makes them first, untimed; the database stays
// for the next one. --operations says how many turns `read-zipfian` and `ycsb-*` have (as many as documents unless given).
// One line of JSON is printed for each workload: {"workload","documents","seconds","opsPerSecond","cpuSeconds"}, in which
// `documents` is what the workload counts. sqlcipher.c makes of this the program for encrypted files.
//
// sqlite-reads.h has the workloads that read, sqlite-mixes.h those with turns and sqlite-views.h those with an index.
#include "program.h"

#include <sqlite3.h>

enum { ROWS_PER_INSERT_MAX = 100 };

static uint64_t rows_per_insert = 1;

static sqlite3 *db;
static sqlite3_int64 sequence;
static uint64_t inserted;  // documents in the database
static bool updated;       // each was updated since it was inserted
static bool deleted;       // each is a tombstone
static bool scored;        // there is an index on the numbers inside the documents
static bool named;         // there is one on the names
static bool changed;       // `view-update` has given some another content

static void check(int result, const char *what) {
    if (result == SQLITE_OK || result == SQLITE_ROW || result == SQLITE_DONE) return;
    fprintf(stderr, "%s: %s\n", what, db ? sqlite3_errmsg(db) : sqlite3_errstr(result));
    exit(1);
}

static void run(const char *sql) { check(sqlite3_exec(db, sql, NULL, NULL, NULL), sql); }

static sqlite3_stmt *prepare(const char *sql) {
    sqlite3_stmt *statement = NULL;
    check(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), sql);
    return statement;
}

// Runs a statement that gives no rows.
static void finish(sqlite3_stmt *statement) {
    check(sqlite3_step(statement), sqlite3_sql(statement));
    check(sqlite3_reset(statement), "reset");
}

#ifdef SETTEE_RAW_KEY
// Without OR FAIL the library opens a statement journal for each: see docs/internals/sqlite-engine.md.
#define UPDATE "UPDATE OR FAIL"

// Gives a connection that was just opened its key.
static void unlock(void) {
    check(sqlite3_key_v2(db, "main", SETTEE_RAW_KEY, (int)strlen(SETTEE_RAW_KEY)), "key");
    run("PRAGMA cipher_page_size = 4096");
}
#else
#define UPDATE "UPDATE"

static void unlock(void) {}
#endif

static void open_file(int flags) {
    check(sqlite3_open_v2(path, &db, flags | SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL), "open");
    unlock();
}

// Gives a connection its settings: what `open` and `view-open` do once, not for every opening.
static void configure(void) {
    char sql[64];
    run("PRAGMA cache_size = -10240");
    run("PRAGMA mmap_size = 0");
    snprintf(sql, sizeof sql, "PRAGMA synchronous = %s", full ? "FULL" : "NORMAL");
    run(sql);
}

static void close_file(void) {
    check(sqlite3_close(db), "close");
    db = NULL;
}

static void make_database(void) {
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
    char name[4096];
    if (db) close_file();
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        snprintf(name, sizeof name, "%s%s", path, suffixes[i]);
        unlink(name);
    }
    open_file(SQLITE_OPEN_CREATE);
    run("PRAGMA journal_mode = WAL");
    configure();
    run("CREATE TABLE docs (id TEXT NOT NULL PRIMARY KEY, version BLOB NOT NULL, sequence INTEGER NOT NULL UNIQUE,"
        " body BLOB NOT NULL)");
    run("CREATE TABLE old_bodies (sequence INTEGER PRIMARY KEY, id TEXT NOT NULL, body BLOB NOT NULL)");
    sequence = 0;
    inserted = 0;
    updated = false;
    deleted = false;
    scored = false;
    named = false;
    changed = false;
}

// One INSERT, and the values of up to as many rows as it takes.
typedef struct {
    sqlite3_stmt *statement;
    uint64_t rows, bound;
    char ids[ROWS_PER_INSERT_MAX][ID_CAPACITY];
    unsigned char versions[ROWS_PER_INSERT_MAX][VERSION_SIZE];
} Inserter;

static Inserter make_inserter(uint64_t rows) {
    char sql[4096] = "INSERT INTO docs (id, version, sequence, body) VALUES (?,?,?,?)";
    for (uint64_t i = 1; i < rows; i++) strcat(sql, ",(?,?,?,?)");
    Inserter inserter = {.statement = prepare(sql), .rows = rows};
    return inserter;
}

// Adds a document; the row is written when the statement is full.
static void insert(Inserter *inserter, uint64_t index) {
    uint64_t row = inserter->bound++;
    int parameter = (int)row * 4;
    sqlite3_stmt *statement = inserter->statement;
    int id_length = document_id(inserter->ids[row], index, random_ids);
    make_version(inserter->versions[row], index, 1);
    sqlite3_bind_text(statement, parameter + 1, inserter->ids[row], id_length, SQLITE_STATIC);
    sqlite3_bind_blob(statement, parameter + 2, inserter->versions[row], VERSION_SIZE, SQLITE_STATIC);
    sqlite3_bind_int64(statement, parameter + 3, ++sequence);
    size_t line = line_of(index);
    sqlite3_bind_blob(statement, parameter + 4, lines.text[line], lines.length[line], SQLITE_STATIC);
    if (inserter->bound == inserter->rows) {
        finish(statement);
        inserter->bound = 0;
    }
}

// Fills a new database in transactions of `batch` documents.
static void insert_all(uint64_t batch, uint64_t rows) {
    Inserter many = make_inserter(rows), one = make_inserter(1);
    sqlite3_stmt *begin = prepare("BEGIN IMMEDIATE"), *commit = prepare("COMMIT");
    for (uint64_t index = 0; index < documents;) {
        uint64_t end = documents - index < batch ? documents : index + batch;
        finish(begin);
        while (end - index >= rows) {
            for (uint64_t row = 0; row < rows; row++) insert(&many, index++);
        }
        while (index < end) insert(&one, index++);
        finish(commit);
    }
    sqlite3_finalize(many.statement);
    sqlite3_finalize(one.statement);
    sqlite3_finalize(begin);
    sqlite3_finalize(commit);
    inserted = documents;
}

static void need_documents(void) {
    if (inserted == documents && !deleted) return;
    make_database();
    insert_all(BATCH, 1);
}

#include "sqlite-reads.h"

// What an update is made of.
typedef struct {
    sqlite3_stmt *query, *keep, *replace;
} Updater;

static Updater make_updater(void) {
    return (Updater){
        prepare(SELECT_DOCUMENT),
        prepare("INSERT INTO old_bodies (sequence, id, body) VALUES (?,?,?)"),
        prepare(UPDATE " docs SET version = ?, sequence = ?, body = ? WHERE id = ?"),
    };
}

static void free_updater(Updater *updater) {
    sqlite3_finalize(updater->query);
    sqlite3_finalize(updater->keep);
    sqlite3_finalize(updater->replace);
}

// Reads a document's current row and puts its body into the second table.
static void keep_body(Updater *updater, const char *id, int id_length) {
    find(updater->query, id, id_length);
    const void *body = sqlite3_column_blob(updater->query, 2);
    sqlite3_bind_int64(updater->keep, 1, sqlite3_column_int64(updater->query, 1));
    sqlite3_bind_text(updater->keep, 2, id, id_length, SQLITE_STATIC);
    sqlite3_bind_blob(updater->keep, 3, body, sqlite3_column_bytes(updater->query, 2), SQLITE_STATIC);
    finish(updater->keep);
    sqlite3_reset(updater->query);
}

static void replace(
    Updater *updater, const char *id, int id_length, uint64_t index, uint64_t generation, const char *body, int length) {
    unsigned char version[VERSION_SIZE];
    make_version(version, index, generation);
    sqlite3_bind_blob(updater->replace, 1, version, VERSION_SIZE, SQLITE_STATIC);
    sqlite3_bind_int64(updater->replace, 2, ++sequence);
    sqlite3_bind_blob(updater->replace, 3, body, length, SQLITE_STATIC);
    sqlite3_bind_text(updater->replace, 4, id, id_length, SQLITE_STATIC);
    finish(updater->replace);
}

// Reads the current row, keeps the old body in the second table and replaces the row.
static void update(Updater *updater, uint64_t index, uint64_t generation, const char *body, int length) {
    char id[ID_CAPACITY];
    int id_length = document_id(id, index, random_ids);
    keep_body(updater, id, id_length);
    replace(updater, id, id_length, index, generation, body, length);
}

// Updates each document, `BATCH` to a transaction. Deleting is the same, as in a document database: the row stays as a
// tombstone with an empty body.
static void replace_all(uint64_t generation, bool deleting) {
    Updater updater = make_updater();
    for (uint64_t index = 0; index < documents; index++) {
        if (index % BATCH == 0) run("BEGIN IMMEDIATE");
        size_t line = line_of(index + 3);  // another body than before
        update(&updater, index, generation, deleting ? "{}" : lines.text[line], deleting ? 2 : lines.length[line]);
        if (index % BATCH == BATCH - 1 || index == documents - 1) run("COMMIT");
    }
    free_updater(&updater);
}

#include "sqlite-mixes.h"
#include "sqlite-views.h"

// The workloads.

static void prepare_empty(void) { make_database(); }

static void update_all(void) {
    replace_all(2, false);
    updated = true;
}

static void delete_all(void) {
    replace_all(3, true);
    deleted = true;
}

static void prepare_updated(void) {
    need_documents();
    if (!updated) update_all();
}

static void insert_batches(void) { insert_all(BATCH, 1); }
static void insert_singly(void) { insert_all(1, 1); }
static void insert_bulk(void) { insert_all(documents, rows_per_insert); }

static void compact(void) {
    run("DELETE FROM old_bodies");
    run("VACUUM");
    run("PRAGMA wal_checkpoint(TRUNCATE)");
    updated = false;
}

static const Workload workloads[] = {
    {"insert-batch", prepare_empty, insert_batches, NULL},
    {"insert-single", prepare_empty, insert_singly, NULL},
    {"bulk", prepare_empty, insert_bulk, NULL},
    {"read-snapshot", need_documents, read_snapshot, NULL},
    {"read-single", need_documents, read_singly, NULL},
    {"read-zipfian", need_documents, read_zipfian, count_operations},
    {"read-keys", need_documents, read_keys_alone, NULL},
    {"read-keys-docs", need_documents, read_keys_docs, NULL},
    {"scan", need_documents, scan_ids, NULL},
    {"changes", need_documents, scan_changes, NULL},
    {"update", need_documents, update_all, NULL},
    {"compact", prepare_updated, compact, NULL},
    {"delete", need_documents, delete_all, NULL},
    {"open", need_documents, open_and_read, count_openings},
    {"ycsb-a", need_documents, ycsb_a, count_operations},
    {"ycsb-b", need_documents, ycsb_b, count_operations},
    {"ycsb-c", need_documents, ycsb_c, count_operations},
    {"ycsb-e", need_documents, ycsb_e, count_operations},
    {"ycsb-f", need_documents, ycsb_f, count_operations},
    {"view-build", need_plain, create_index, NULL},
    {"view-build-string", need_plain, create_string_index, NULL},
    {"view-update", prepare_changes, change_some, count_changed},
    {"view-range", prepare_ranges, read_ranges, NULL},
    {"find-count", need_plain, count_low, NULL},
    {"view-open", need_index, open_first, count_openings},
};

static bool take_option(char **arguments, int *index) {
    if (!option(arguments, index, "--rows-per-insert")) return false;
    rows_per_insert = number_argument(arguments[*index], "--rows-per-insert");
    if (rows_per_insert == 0 || rows_per_insert > ROWS_PER_INSERT_MAX) fail("--rows-per-insert is 1 to 100");
    return true;
}

int main(int count, char **arguments) {
    const Program program = {
        .documents = 100000,
        .usage = "usage: --db PATH --data FILE --workload NAME[,NAME...] [--docs N] [--operations N]"
                 " [--durability NORMAL|FULL] [--ids ordered|random] [--rows-per-insert N]",
        .workloads = workloads,
        .workload_count = sizeof workloads / sizeof workloads[0],
        .needs_data = true,
        .take_option = take_option,
    };
    run_program(&program, count, arguments);
    if (db) close_file();
    return 0;
}
