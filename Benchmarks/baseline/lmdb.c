// What LMDB can do with the same documents when nothing is in the way: no JSON, no digests, no revision trees.
//
// baseline-lmdb --db PATH --data FILE --workload NAME[,NAME...] [--docs N] [--durability NORMAL|FULL] [--ids ordered|random]
//
// PATH is deleted at the start and becomes the data file; PATH-lock is beside it. FILE holds JSON lines; when it has fewer than
// N they repeat. A workload that needs documents makes them first, untimed; the database stays for the next one. One line of
// JSON is printed for each workload: {"workload","documents","seconds","opsPerSecond","cpuSeconds"}. NORMAL is
// MDB_NOMETASYNC.
#include "harness.h"

#include <fcntl.h>
#include <lmdb.h>
#include <unistd.h>

enum { BATCH = 1000, VERSION_SIZE = 20, HEAD_SIZE = VERSION_SIZE + 8 };

static const char *path;
static bool full;
static uint64_t documents = 100000;
static bool random_ids;
static Lines lines;

static MDB_env *env;
static MDB_dbi docs;        // ID -> version, sequence, body
static MDB_dbi sequences;   // sequence -> ID
static MDB_dbi old_bodies;  // sequence -> body
static uint64_t sequence;
static uint64_t inserted;  // documents in the database
static bool deleted;       // each is a tombstone
static uint64_t checksum;  // keeps the compiler from dropping reads

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

static void make_database(void) {
    char name[4096];
    if (env) mdb_env_close(env);
    unlink(path);
    snprintf(name, sizeof name, "%s-lock", path);
    unlink(name);
    check(mdb_env_create(&env), "create");
    check(mdb_env_set_maxdbs(env, 4), "tables");
    check(mdb_env_set_mapsize(env, (size_t)64 << 30), "map");
    check(mdb_env_open(env, path, MDB_NOSUBDIR | MDB_NOTLS | (full ? 0 : MDB_NOMETASYNC), 0644), "open");
    MDB_txn *transaction = begin(0);
    check(mdb_dbi_open(transaction, "docs", MDB_CREATE, &docs), "docs");
    check(mdb_dbi_open(transaction, "sequences", MDB_CREATE | MDB_INTEGERKEY, &sequences), "sequences");
    check(mdb_dbi_open(transaction, "old_bodies", MDB_CREATE | MDB_INTEGERKEY, &old_bodies), "old bodies");
    commit(transaction);
    sequence = 0;
    inserted = 0;
    deleted = false;
}

static size_t line_of(uint64_t index) { return (size_t)(index % lines.count); }

// Writes a document's row and its sequence. The version stands in for a revision ID: it differs between documents and
// between generations.
static void put(
    MDB_txn *transaction, MDB_val *id, uint64_t index, uint64_t generation, const char *body, size_t length) {
    uint64_t words[3] = {mix64(index), mix64(index ^ generation << 40), generation};
    MDB_val value = {HEAD_SIZE + length, NULL};
    check(mdb_put(transaction, docs, id, &value, MDB_RESERVE), "put");
    char *row = value.mv_data;
    sequence++;
    memcpy(row, words, VERSION_SIZE);
    memcpy(row + VERSION_SIZE, &sequence, 8);
    memcpy(row + HEAD_SIZE, body, length);
    MDB_val key = {8, &sequence};
    check(mdb_put(transaction, sequences, &key, id, 0), "put sequence");
}

static MDB_val make_id(char id[ID_CAPACITY], uint64_t index) {
    return (MDB_val){(size_t)document_id(id, index, random_ids), id};
}

// Fills a new database in transactions of `batch` documents.
static void insert_all(uint64_t batch) {
    char text[ID_CAPACITY];
    for (uint64_t index = 0; index < documents;) {
        uint64_t end = documents - index < batch ? documents : index + batch;
        MDB_txn *transaction = begin(0);
        for (; index < end; index++) {
            MDB_val id = make_id(text, index);
            size_t line = line_of(index);
            put(transaction, &id, index, 1, lines.text[line], (size_t)lines.length[line]);
        }
        commit(transaction);
    }
    inserted = documents;
}

static void need_documents(void) {
    if (inserted > 0 && !deleted) return;
    make_database();
    insert_all(BATCH);
}

static void read_one(MDB_txn *transaction, uint64_t turn) {
    char text[ID_CAPACITY];
    MDB_val id = make_id(text, random_document(turn, documents)), value;
    check(mdb_get(transaction, docs, &id, &value), "get");
    uint64_t its_sequence;
    memcpy(&its_sequence, (char *)value.mv_data + VERSION_SIZE, 8);
    checksum += ((unsigned char *)value.mv_data)[HEAD_SIZE] + value.mv_size + its_sequence;
}

static void scan(MDB_dbi table) {
    MDB_txn *transaction = begin(MDB_RDONLY);
    MDB_cursor *cursor;
    MDB_val key, value;
    uint64_t rows = 0;
    int result;
    check(mdb_cursor_open(transaction, table, &cursor), "cursor");
    while ((result = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) == MDB_SUCCESS) {
        checksum += ((unsigned char *)key.mv_data)[0] + ((unsigned char *)value.mv_data)[value.mv_size - 1];
        rows++;
    }
    if (result != MDB_NOTFOUND) check(result, "scan");
    mdb_cursor_close(cursor);
    mdb_txn_abort(transaction);
    if (rows != documents) fail("a scan did not give every document");
}

// Reads each document's current row, keeps the old body in a table of its own and replaces the row, `BATCH` to a
// transaction. Deleting is the same, as in a document database: the row stays as a tombstone with an empty body.
static void replace_all(uint64_t generation, bool deleting) {
    char text[ID_CAPACITY];
    MDB_txn *transaction = NULL;
    for (uint64_t index = 0; index < documents; index++) {
        if (index % BATCH == 0) transaction = begin(0);
        MDB_val id = make_id(text, index), value;
        check(mdb_get(transaction, docs, &id, &value), "get");
        uint64_t old;
        memcpy(&old, (char *)value.mv_data + VERSION_SIZE, 8);
        MDB_val key = {8, &old}, body = {value.mv_size - HEAD_SIZE, NULL};
        char *bytes = malloc(body.mv_size);  // the write may move the page
        memcpy(bytes, (char *)value.mv_data + HEAD_SIZE, body.mv_size);
        body.mv_data = bytes;
        check(mdb_put(transaction, old_bodies, &key, &body, 0), "keep");
        free(bytes);
        check(mdb_del(transaction, sequences, &key, NULL), "remove sequence");
        size_t line = line_of(index + 3);  // another body than before
        put(transaction, &id, index, generation, deleting ? "{}" : lines.text[line],
            deleting ? 2 : (size_t)lines.length[line]);
        if (index % BATCH == BATCH - 1 || index == documents - 1) commit(transaction);
    }
}

// The workloads.

static void prepare_empty(void) { make_database(); }

static void update_all(void) { replace_all(2, false); }

static void delete_all(void) {
    replace_all(3, true);
    deleted = true;
}

static void insert_batches(void) { insert_all(BATCH); }
static void insert_singly(void) { insert_all(1); }
static void insert_bulk(void) { insert_all(documents); }

static void read_snapshot(void) {
    MDB_txn *transaction = begin(MDB_RDONLY);
    for (uint64_t turn = 0; turn < documents; turn++) read_one(transaction, turn);
    mdb_txn_abort(transaction);
}

static void read_singly(void) {
    MDB_txn *transaction = begin(MDB_RDONLY);
    for (uint64_t turn = 0; turn < documents; turn++) {
        mdb_txn_reset(transaction);
        check(mdb_txn_renew(transaction), "renew");
        read_one(transaction, turn);
    }
    mdb_txn_abort(transaction);
}

static void scan_ids(void) { scan(docs); }
static void scan_changes(void) { scan(sequences); }

static void rewrite(void) {
    char name[4096];
    snprintf(name, sizeof name, "%s-copy", path);
    unlink(name);
    int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file < 0) fail("cannot make the copy");
    check(mdb_env_copyfd2(env, file, MDB_CP_COMPACT), "copy");
    if (fsync(file) != 0 || close(file) != 0) fail("cannot sync the copy");
    unlink(name);
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
    {"read-single", need_documents, read_singly},
    {"scan", need_documents, scan_ids},
    {"changes", need_documents, scan_changes},
    {"update", need_documents, update_all},
    {"rewrite", need_documents, rewrite},
    {"delete", need_documents, delete_all},
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
    report(workload->name, documents, started);
}

int main(int count, char **arguments) {
    const char *data = NULL;
    char *names = NULL;
    const char *durability = "NORMAL";
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
        } else {
            fail("baseline-lmdb --db PATH --data FILE --workload NAME[,NAME...] [--docs N] [--durability NORMAL|FULL]"
                 " [--ids ordered|random]");
        }
    }
    if (!path || !data || !names || documents == 0) fail("--db, --data and --workload are needed, and at least 1 document");
    if (strcmp(durability, "NORMAL") != 0 && strcmp(durability, "FULL") != 0) fail("--durability is NORMAL or FULL");
    full = strcmp(durability, "FULL") == 0;
    lines = read_lines(data);
    for (char *name = strtok(names, ","); name; name = strtok(NULL, ",")) measure(workload_named(name));
    mdb_env_close(env);
    if (checksum == 1) fprintf(stderr, "-\n");
    return 0;
}
