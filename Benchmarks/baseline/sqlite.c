// What SQLite can do with the same documents when nothing is in the way: no JSON, no digests, no revision trees.
//
// baseline-sqlite --db PATH --data FILE --workload NAME[,NAME...] [--docs N] [--durability NORMAL|FULL] [--ids ordered|random]
//          [--rows-per-insert N]
//
// PATH and its -wal and -shm are deleted at the start. FILE holds JSON lines; when it has fewer than N they repeat. A
// workload that needs documents, or documents that were updated, makes them first, untimed; the database stays for the
// next one. sqlcipher.c makes of it the program for encrypted files. One line of JSON is printed for each workload: {"workload","documents","seconds","opsPerSecond","cpuSeconds"}.
#include "harness.h"

#include <sqlite3.h>
#include <unistd.h>

enum { BATCH = 1000, VERSION_SIZE = 20, ROWS_PER_INSERT_MAX = 100 };

static const char *path;
static const char *durability = "NORMAL";
static uint64_t documents = 100000;
static uint64_t rows_per_insert = 1;
static bool random_ids;
static Lines lines;

static sqlite3 *db;
static sqlite3_int64 sequence;
static uint64_t inserted;  // documents in the database
static bool updated;       // each was updated since it was inserted
static bool deleted;       // each is a tombstone
static bool indexed;       // there is an index on values inside the documents
static uint64_t checksum;  // keeps the compiler from dropping reads

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
#define UPDATE "UPDATE OR FAIL"  // without it the library opens a statement journal for each: see docs/internals/sqlite-engine.md

// Gives a connection that was just opened its key.
static void unlock(void) {
    check(sqlite3_key_v2(db, "main", SETTEE_RAW_KEY, (int)strlen(SETTEE_RAW_KEY)), "key");
    run("PRAGMA cipher_page_size = 4096");
}
#else
#define UPDATE "UPDATE"

static void unlock(void) {}
#endif

static void make_database(void) {
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
    char name[4096];
    if (db) check(sqlite3_close(db), "close");
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        snprintf(name, sizeof name, "%s%s", path, suffixes[i]);
        unlink(name);
    }
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    check(sqlite3_open_v2(path, &db, flags, NULL), "open");
    unlock();
    run("PRAGMA journal_mode = WAL");
    run("PRAGMA cache_size = -10240");
    run("PRAGMA mmap_size = 0");
    snprintf(name, sizeof name, "PRAGMA synchronous = %s", durability);
    run(name);
    run("CREATE TABLE docs (id TEXT NOT NULL PRIMARY KEY, version BLOB NOT NULL, sequence INTEGER NOT NULL UNIQUE,"
        " body BLOB NOT NULL)");
    run("CREATE TABLE old_bodies (sequence INTEGER PRIMARY KEY, id TEXT NOT NULL, body BLOB NOT NULL)");
    sequence = 0;
    inserted = 0;
    updated = false;
    deleted = false;
    indexed = false;
}

// Stands in for a revision ID: 20 bytes that differ between documents and between versions.
static void make_version(unsigned char version[VERSION_SIZE], uint64_t index, uint64_t generation) {
    uint64_t words[3] = {mix64(index), mix64(index ^ generation << 40), generation};
    memcpy(version, words, VERSION_SIZE);
}

static size_t line_of(uint64_t index) { return (size_t)(index % lines.count); }

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
    if (inserted > 0 && !deleted) return;
    make_database();
    insert_all(BATCH, 1);
}

static void read_one(sqlite3_stmt *query, uint64_t turn) {
    char id[ID_CAPACITY];
    int length = document_id(id, random_document(turn, documents), random_ids);
    sqlite3_bind_text(query, 1, id, length, SQLITE_STATIC);
    if (sqlite3_step(query) != SQLITE_ROW) fail("a document that was inserted is missing");
    const unsigned char *body = sqlite3_column_blob(query, 2);
    checksum += body[0] + (uint64_t)sqlite3_column_bytes(query, 2) + (uint64_t)sqlite3_column_int64(query, 1);
    sqlite3_reset(query);
}

static void read_all(void) {
    sqlite3_stmt *query = prepare("SELECT version, sequence, body FROM docs WHERE id = ?");
    for (uint64_t turn = 0; turn < documents; turn++) read_one(query, turn);
    sqlite3_finalize(query);
}

static void scan(const char *sql) {
    sqlite3_stmt *query = prepare(sql);
    uint64_t rows = 0;
    int result;
    while ((result = sqlite3_step(query)) == SQLITE_ROW) {
        checksum += *(const unsigned char *)sqlite3_column_text(query, 0) + (uint64_t)sqlite3_column_int64(query, 2);
        if (sqlite3_column_count(query) > 3) checksum += *(const unsigned char *)sqlite3_column_blob(query, 3);
        rows++;
    }
    check(result, sql);
    sqlite3_finalize(query);
    if (rows != documents) fail("a scan did not give every document");
}

// Reads each document's current row, keeps the old body in the second table and replaces the row, `BATCH` to a
// transaction. Deleting is the same, as in a document database: the row stays as a tombstone with an empty body.
static void replace_all(uint64_t generation, bool deleting) {
    sqlite3_stmt *query = prepare("SELECT version, sequence, body FROM docs WHERE id = ?");
    sqlite3_stmt *keep = prepare("INSERT INTO old_bodies (sequence, id, body) VALUES (?,?,?)");
    sqlite3_stmt *replace = prepare(UPDATE " docs SET version = ?, sequence = ?, body = ? WHERE id = ?");
    for (uint64_t index = 0; index < documents; index++) {
        if (index % BATCH == 0) run("BEGIN IMMEDIATE");
        char id[ID_CAPACITY];
        unsigned char version[VERSION_SIZE];
        int length = document_id(id, index, random_ids);
        sqlite3_bind_text(query, 1, id, length, SQLITE_STATIC);
        if (sqlite3_step(query) != SQLITE_ROW) fail("a document that was inserted is missing");
        sqlite3_bind_int64(keep, 1, sqlite3_column_int64(query, 1));
        sqlite3_bind_text(keep, 2, id, length, SQLITE_STATIC);
        sqlite3_bind_blob(keep, 3, sqlite3_column_blob(query, 2), sqlite3_column_bytes(query, 2), SQLITE_STATIC);
        finish(keep);
        sqlite3_reset(query);

        make_version(version, index, generation);
        size_t line = line_of(index + 3);  // another body than before
        sqlite3_bind_blob(replace, 1, version, VERSION_SIZE, SQLITE_STATIC);
        sqlite3_bind_int64(replace, 2, ++sequence);
        sqlite3_bind_blob(
            replace, 3, deleting ? "{}" : lines.text[line], deleting ? 2 : lines.length[line], SQLITE_STATIC);
        sqlite3_bind_text(replace, 4, id, length, SQLITE_STATIC);
        finish(replace);
        if (index % BATCH == BATCH - 1 || index == documents - 1) run("COMMIT");
    }
    sqlite3_finalize(query);
    sqlite3_finalize(keep);
    sqlite3_finalize(replace);
}

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

static void read_snapshot(void) {
    run("BEGIN");
    read_all();
    run("COMMIT");
}

static void scan_ids(void) { scan("SELECT id, version, sequence, body FROM docs ORDER BY id"); }
static void scan_changes(void) { scan("SELECT id, version, sequence FROM docs WHERE sequence > 0 ORDER BY sequence"); }

// An index on a value inside the documents, as one would make it with SQLite alone.

#define SCORE "json_extract(CAST(body AS TEXT), '$.score')"
enum { RANGES = 100, OPENINGS = 200 };

static void need_plain(void) {
    if (indexed) make_database();
    indexed = false;
    need_documents();
}

static void create_index(void) {
    run("CREATE INDEX by_score ON docs (" SCORE ")");
    indexed = true;
}

static void create_string_index(void) {
    run("CREATE INDEX by_name ON docs (json_extract(CAST(body AS TEXT), '$.name.last'))");
    indexed = true;
}

static void need_index(void) {
    need_documents();
    if (!indexed) create_index();
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
            checksum += (uint64_t)sqlite3_column_double(query, 0) + *sqlite3_column_text(query, 1);
            rows++;
        }
        check(result, "ranges");
        sqlite3_reset(query);
    }
    sqlite3_finalize(query);
    if (rows != documents) fail("the ranges did not give every document");
}

// Opens the file anew and reads the first row of the index, again and again.
static void open_first(void) {
    check(sqlite3_close(db), "close");
    for (int i = 0; i < OPENINGS; i++) {
        check(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL), "open");
        unlock();
        sqlite3_stmt *query = prepare("SELECT " SCORE ", id FROM docs ORDER BY " SCORE " LIMIT 1");
        if (sqlite3_step(query) != SQLITE_ROW) fail("the index is empty");
        checksum += *sqlite3_column_text(query, 1);
        sqlite3_finalize(query);
        check(sqlite3_close(db), "close");
    }
    check(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL), "open");
    unlock();
}

// Opens the file anew and reads a document, again and again.
static void open_and_read(void) {
    check(sqlite3_close(db), "close");
    for (uint64_t i = 0; i < OPENINGS; i++) {
        check(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL), "open");
        unlock();
        sqlite3_stmt *query = prepare("SELECT version, sequence, body FROM docs WHERE id = ?");
        read_one(query, i);
        sqlite3_finalize(query);
        check(sqlite3_close(db), "close");
    }
    check(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL), "open");
    unlock();
}

static void compact(void) {
    run("DELETE FROM old_bodies");
    run("VACUUM");
    run("PRAGMA wal_checkpoint(TRUNCATE)");
}

typedef struct {
    const char *name;
    void (*before)(void);  // untimed
    void (*run)(void);
} Workload;

static const Workload workloads[] = {
    {"insert-batch", prepare_empty, insert_batches},
    {"insert-single", prepare_empty, insert_singly},
    {"bulk", prepare_empty, insert_bulk},
    {"read-snapshot", need_documents, read_snapshot},
    {"read-single", need_documents, read_all},
    {"scan", need_documents, scan_ids},
    {"changes", need_documents, scan_changes},
    {"update", need_documents, update_all},
    {"compact", prepare_updated, compact},
    {"delete", need_documents, delete_all},
    {"open", need_documents, open_and_read},
    {"view-build", need_plain, create_index},
    {"view-build-string", need_plain, create_string_index},
    {"view-range", prepare_ranges, read_ranges},
    {"view-open", need_index, open_first},
};
enum { WORKLOADS = sizeof workloads / sizeof workloads[0] };

static const Workload *workload_named(const char *name) {
    for (int i = 0; i < WORKLOADS; i++) {
        if (strcmp(workloads[i].name, name) == 0) return &workloads[i];
    }
    fprintf(stderr, "no workload \"%s\"; there are:", name);
    for (int i = 0; i < WORKLOADS; i++) fprintf(stderr, " %s", workloads[i].name);
    fprintf(stderr, "\n");
    exit(2);
}

static void measure(const Workload *workload) {
    workload->before();
    Stopwatch started = start_stopwatch();
    workload->run();
    report(workload->name, workload->run == open_first || workload->run == open_and_read ? OPENINGS : documents, started);
}

int main(int count, char **arguments) {
    const char *data = NULL;
    char *names = NULL;
    for (int i = 1; i < count; i++) {
        if (option(arguments, &i, "--db")) {
            path = arguments[i];
        } else if (option(arguments, &i, "--data")) {
            data = arguments[i];
        } else if (option(arguments, &i, "--docs")) {
            documents = number_argument(arguments[i], "--docs");
        } else if (option(arguments, &i, "--workload")) {
            names = arguments[i];
        } else if (option(arguments, &i, "--durability")) {
            durability = arguments[i];
        } else if (option(arguments, &i, "--ids")) {
            random_ids = ids_are_random(arguments[i]);
        } else if (option(arguments, &i, "--rows-per-insert")) {
            rows_per_insert = number_argument(arguments[i], "--rows-per-insert");
        } else {
            fail("baseline-sqlite --db PATH --data FILE --workload NAME[,NAME...] [--docs N] [--durability NORMAL|FULL]"
                 " [--ids ordered|random] [--rows-per-insert N]");
        }
    }
    if (!path || !data || !names || documents == 0) fail("--db, --data and --workload are needed, and at least 1 document");
    if (strcmp(durability, "NORMAL") != 0 && strcmp(durability, "FULL") != 0) fail("--durability is NORMAL or FULL");
    if (rows_per_insert == 0 || rows_per_insert > ROWS_PER_INSERT_MAX) fail("--rows-per-insert is 1 to 100");
    lines = read_lines(data);
    for (char *name = strtok(names, ","); name; name = strtok(NULL, ",")) measure(workload_named(name));
    check(sqlite3_close(db), "close");
    if (checksum == 1) fprintf(stderr, "-\n");
    return 0;
}
