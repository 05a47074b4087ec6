// What LMDB can do with the same documents when nothing is in the way: no JSON, no digests, no revision trees.
//
// baseline-lmdb --db PATH --data FILE --workload NAME[,NAME...] [--docs N] [--operations N] [--durability NORMAL|FULL]
//          [--ids ordered|random]
//
// PATH is deleted at the start and becomes the data file; PATH-lock is beside it. FILE holds JSON lines; when it has fewer
// than N they repeat. A workload that needs documents, documents that were updated, or an index makes them first, untimed;
// the database stays for the next one. --operations says how many turns `read-zipfian` and `ycsb-*` have (as many as
// documents unless given). NORMAL is MDB_NOMETASYNC. One line of JSON is printed for each workload:
// {"workload","documents","seconds","opsPerSecond","cpuSeconds"}, in which `documents` is what the workload counts.
//
// lmdb-reads.h has the workloads that read, lmdb-mixes.h those with turns and lmdb-views.h those with an index.
#include "program.h"

#include <lmdb.h>

enum { HEAD_SIZE = VERSION_SIZE + 8 };

static MDB_env *env;
static MDB_dbi docs;        // ID -> version, sequence, body
static MDB_dbi sequences;   // sequence -> ID
static MDB_dbi old_bodies;  // sequence -> body
static MDB_dbi scores;      // sortable score, ID -> sequence
static MDB_dbi keys;        // ID -> sortable score
static uint64_t sequence;
static uint64_t inserted;  // documents in the database
static bool updated;       // each was updated since it was inserted
static bool deleted;       // each is a tombstone
static bool indexed;       // `scores` and `keys` are those of the documents
static bool changed;       // `view-update` has given some another content

static void check(int result, const char *what) {
    if (result == MDB_SUCCESS) return;
    fprintf(stderr, "%s: %s\n", what, mdb_strerror(result));
    exit(1);
}

static MDB_txn *begin(unsigned flags) {
    MDB_txn *transaction = NULL;
    check(mdb_txn_begin(env, NULL, flags, &transaction), "begin");
    return transaction;
}

static void commit(MDB_txn *transaction) { check(mdb_txn_commit(transaction), "commit"); }

static void open_environment(void) {
    check(mdb_env_create(&env), "create");
    check(mdb_env_set_maxdbs(env, 5), "tables");
    check(mdb_env_set_mapsize(env, (size_t)64 << 30), "map");
    check(mdb_env_open(env, path, MDB_NOSUBDIR | MDB_NOTLS | (full ? 0 : MDB_NOMETASYNC), 0644), "open");
}

static void close_environment(void) {
    mdb_env_close(env);
    env = NULL;
}

// With MDB_CREATE as `flags` they are made; a table keeps its own flags.
static void open_tables(MDB_txn *transaction, unsigned flags) {
    unsigned numbers = flags ? MDB_INTEGERKEY : 0;
    check(mdb_dbi_open(transaction, "docs", flags, &docs), "docs");
    check(mdb_dbi_open(transaction, "sequences", flags | numbers, &sequences), "sequences");
    check(mdb_dbi_open(transaction, "old_bodies", flags | numbers, &old_bodies), "old bodies");
    check(mdb_dbi_open(transaction, "scores", flags, &scores), "scores");
    check(mdb_dbi_open(transaction, "keys", flags, &keys), "keys");
}

static void reopen(void) {
    open_environment();
    MDB_txn *transaction = begin(MDB_RDONLY);
    open_tables(transaction, 0);
    commit(transaction);
}

static void make_database(void) {
    char name[4096];
    if (env) close_environment();
    unlink(path);
    snprintf(name, sizeof name, "%s-lock", path);
    unlink(name);
    open_environment();
    MDB_txn *transaction = begin(0);
    open_tables(transaction, MDB_CREATE);
    commit(transaction);
    sequence = 0;
    inserted = 0;
    updated = false;
    deleted = false;
    indexed = false;
    changed = false;
}

static MDB_val make_id(char id[ID_CAPACITY], uint64_t index) {
    return (MDB_val){(size_t)document_id(id, index, random_ids), id};
}

static uint64_t touch_value(const MDB_val *value) { return touch(value->mv_data, value->mv_size); }

// The parts of a document's row.
static const char *row_version(const MDB_val *row) { return row->mv_data; }

static uint64_t row_sequence(const MDB_val *row) {
    uint64_t its_sequence;
    memcpy(&its_sequence, row_version(row) + VERSION_SIZE, 8);
    return its_sequence;
}

static MDB_val row_body(const MDB_val *row) {
    return (MDB_val){row->mv_size - HEAD_SIZE, (char *)row->mv_data + HEAD_SIZE};
}

// Writes a document's row and its sequence.
static void put(
    MDB_txn *transaction, MDB_val *id, uint64_t index, uint64_t generation, const char *body, size_t length) {
    MDB_val value = {HEAD_SIZE + length, NULL};
    check(mdb_put(transaction, docs, id, &value, MDB_RESERVE), "put");
    char *row = value.mv_data;
    sequence++;
    make_version((unsigned char *)row, index, generation);
    memcpy(row + VERSION_SIZE, &sequence, 8);
    memcpy(row + HEAD_SIZE, body, length);
    MDB_val key = {8, &sequence};
    check(mdb_put(transaction, sequences, &key, id, 0), "put sequence");
}

static void insert(MDB_txn *transaction, uint64_t index) {
    char text[ID_CAPACITY];
    MDB_val id = make_id(text, index);
    size_t line = line_of(index);
    put(transaction, &id, index, 1, lines.text[line], (size_t)lines.length[line]);
}

// Fills a new database in transactions of `batch` documents.
static void insert_all(uint64_t batch) {
    for (uint64_t index = 0; index < documents;) {
        uint64_t end = documents - index < batch ? documents : index + batch;
        MDB_txn *transaction = begin(0);
        for (; index < end; index++) insert(transaction, index);
        commit(transaction);
    }
    inserted = documents;
}

static void need_documents(void) {
    if (inserted == documents && !deleted) return;
    make_database();
    insert_all(BATCH);
}

#include "lmdb-reads.h"

// Keeps the old body of a document in a table of its own.
static void keep_body(MDB_txn *transaction, MDB_val *row) {
    uint64_t old = row_sequence(row);
    MDB_val key = {8, &old}, body = row_body(row);
    char *bytes = malloc(body.mv_size + 1);  // the write may move the page
    if (!bytes) fail("out of memory");
    memcpy(bytes, body.mv_data, body.mv_size);
    body.mv_data = bytes;
    check(mdb_put(transaction, old_bodies, &key, &body, 0), "keep");
    free(bytes);
}

static void remove_sequence(MDB_txn *transaction, uint64_t old) {
    MDB_val key = {8, &old};
    check(mdb_del(transaction, sequences, &key, NULL), "remove sequence");
}

// Reads the current row, keeps the old body in a table of its own and replaces the row.
static void update(MDB_txn *transaction, uint64_t index, uint64_t generation, const char *body, size_t length) {
    char text[ID_CAPACITY];
    MDB_val id = make_id(text, index), row = find(transaction, &id);
    uint64_t old = row_sequence(&row);
    keep_body(transaction, &row);
    remove_sequence(transaction, old);
    put(transaction, &id, index, generation, body, length);
    indexed = false;
}

// Updates each document, `BATCH` to a transaction. Deleting is the same, as in a document database: the row stays as a
// tombstone with an empty body.
static void replace_all(uint64_t generation, bool deleting) {
    MDB_txn *transaction = NULL;
    for (uint64_t index = 0; index < documents; index++) {
        if (index % BATCH == 0) transaction = begin(0);
        size_t line = line_of(index + 3);  // another body than before
        update(transaction, index, generation, deleting ? "{}" : lines.text[line],
            deleting ? 2 : (size_t)lines.length[line]);
        if (index % BATCH == BATCH - 1 || index == documents - 1) commit(transaction);
    }
}

#include "lmdb-mixes.h"
#include "lmdb-views.h"

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

static void insert_batches(void) { insert_all(BATCH); }
static void insert_singly(void) { insert_all(1); }
static void insert_bulk(void) { insert_all(documents); }

// Writes the database anew, without free pages, into the file `name`.
static void copy_to(const char *name) {
    unlink(name);
    int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file < 0) fail("cannot make the copy");
    check(mdb_env_copyfd2(env, file, MDB_CP_COMPACT), "copy");
    if (fsync(file) != 0 || close(file) != 0) fail("cannot sync the copy");
}

static void rewrite(void) {
    char name[4096];
    snprintf(name, sizeof name, "%s-copy", path);
    copy_to(name);
    unlink(name);
}

// Deletes the old bodies, and puts a rewritten file into the place of the old one.
static void compact(void) {
    char name[4096];
    MDB_txn *transaction = begin(0);
    check(mdb_drop(transaction, old_bodies, 0), "delete old bodies");
    commit(transaction);
    snprintf(name, sizeof name, "%s-copy", path);
    copy_to(name);
    close_environment();
    if (rename(name, path) != 0) fail("cannot rename the copy");
    snprintf(name, sizeof name, "%s", path);
    char *slash = strrchr(name, '/');
    if (slash) slash[1] = 0;
    sync_folder(slash ? name : ".");
    reopen();
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
    {"scan", need_documents, scan, NULL},
    {"changes", need_documents, scan_changes, NULL},
    {"update", need_documents, update_all, NULL},
    {"compact", prepare_updated, compact, NULL},
    {"rewrite", need_documents, rewrite, NULL},
    {"delete", need_documents, delete_all, NULL},
    {"open", need_documents, open_and_read, count_openings},
    {"ycsb-a", need_documents, ycsb_a, count_operations},
    {"ycsb-b", need_documents, ycsb_b, count_operations},
    {"ycsb-c", need_documents, ycsb_c, count_operations},
    {"ycsb-e", need_documents, ycsb_e, count_operations},
    {"ycsb-f", need_documents, ycsb_f, count_operations},
    {"view-build", need_plain, build_index, NULL},
    {"view-update", prepare_changes, change_some, count_changed},
    {"view-range", prepare_ranges, read_ranges, NULL},
    {"view-open", need_index, open_first, count_openings},
};

int main(int count, char **arguments) {
    const Program program = {
        .documents = 100000,
        .usage = "usage: --db PATH --data FILE --workload NAME[,NAME...] [--docs N] [--operations N]"
                 " [--durability NORMAL|FULL] [--ids ordered|random]",
        .workloads = workloads,
        .workload_count = sizeof workloads / sizeof workloads[0],
        .needs_data = true,
    };
    run_program(&program, count, arguments);
    if (env) close_environment();
    return 0;
}
