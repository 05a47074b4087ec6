// The workloads of lmdb.c with an index on the number `score` inside the documents, as one would keep it by hand: a table of
// sorted rows, and a table that tells which row a document has. It includes this after its own functions.
#pragma once

enum { SCORE_SIZE = 8, ROW_CAPACITY = SCORE_SIZE + ID_CAPACITY };

// What is indexed of a document: the key of its row, which is the score and the ID, and its sequence.
typedef struct {
    unsigned char key[ROW_CAPACITY];
    size_t size;
    uint64_t sequence;
} Row;

// Makes a double eight bytes that sort as it does: big-endian, with the sign bit turned over, or all bits if it is negative.
static void sortable(unsigned char bytes[SCORE_SIZE], double number) {
    uint64_t bits;
    memcpy(&bits, &number, 8);
    bits = bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
    for (int i = 0; i < SCORE_SIZE; i++) bytes[i] = (unsigned char)(bits >> (56 - 8 * i));
}

static double unsorted(const unsigned char bytes[SCORE_SIZE]) {
    uint64_t bits = 0;
    double number;
    for (int i = 0; i < SCORE_SIZE; i++) bits = bits << 8 | bytes[i];
    bits = bits >> 63 ? bits & ~((uint64_t)1 << 63) : ~bits;
    memcpy(&number, &bits, 8);
    return number;
}

// Finds the number after the first `"score":` in JSON text.
static double score_of(const char *json, size_t length) {
    static const char name[] = "\"score\":";
    const size_t name_length = sizeof name - 1;
    const char *end = json + length;
    for (const char *at = json; (at = memchr(at, '"', (size_t)(end - at))); at++) {
        if ((size_t)(end - at) < name_length) break;
        if (memcmp(at, name, name_length) != 0) continue;
        char number[64], *number_end;  // ends with a zero byte, which the text does not
        size_t rest = (size_t)(end - at) - name_length;
        if (rest > sizeof number - 1) rest = sizeof number - 1;
        memcpy(number, at + name_length, rest);
        number[rest] = 0;
        double score = strtod(number, &number_end);
        if (number_end == number) break;
        return score;
    }
    fail("the workloads with an index need a number \"score\" in each document");
    return 0;
}

static Row make_row(const MDB_val *id, const char *json, size_t length) {
    Row row = {.size = SCORE_SIZE + id->mv_size};
    sortable(row.key, score_of(json, length));
    memcpy(row.key + SCORE_SIZE, id->mv_data, id->mv_size);
    return row;
}

static int compare_rows(const void *left, const void *right) {
    const Row *a = left, *b = right;
    int order = memcmp(a->key, b->key, a->size < b->size ? a->size : b->size);
    return order ? order : (a->size > b->size) - (a->size < b->size);
}

// Reads all documents, sorts their rows and appends them. The other table is in the order in which documents are read.
static void build_index(void) {
    Row *rows = malloc(documents * sizeof *rows);
    if (!rows) fail("out of memory");
    MDB_txn *transaction = begin(0);
    MDB_cursor *cursor;
    MDB_val id, document;
    uint64_t count = 0;
    int result;
    check(mdb_cursor_open(transaction, docs, &cursor), "cursor");
    while ((result = mdb_cursor_get(cursor, &id, &document, MDB_NEXT)) == MDB_SUCCESS) {
        if (count == documents) fail("there are more documents than were inserted");
        MDB_val body = row_body(&document);
        Row *row = &rows[count++];
        *row = make_row(&id, body.mv_data, body.mv_size);
        row->sequence = row_sequence(&document);
    }
    if (result != MDB_NOTFOUND) check(result, "scan");
    mdb_cursor_close(cursor);
    for (uint64_t i = 0; i < count; i++) {
        MDB_val key = {rows[i].size - SCORE_SIZE, rows[i].key + SCORE_SIZE}, value = {SCORE_SIZE, rows[i].key};
        check(mdb_put(transaction, keys, &key, &value, MDB_APPEND), "append key");
    }
    qsort(rows, count, sizeof *rows, compare_rows);
    for (uint64_t i = 0; i < count; i++) {
        MDB_val key = {rows[i].size, rows[i].key}, value = {8, &rows[i].sequence};
        check(mdb_put(transaction, scores, &key, &value, MDB_APPEND), "append row");
    }
    commit(transaction);
    free(rows);
    if (count != documents) fail("the index does not have every document");
    indexed = true;
}

static void empty_index(void) {
    MDB_txn *transaction = begin(0);
    check(mdb_drop(transaction, scores, 0), "empty index");
    check(mdb_drop(transaction, keys, 0), "empty index");
    commit(transaction);
    indexed = false;
}

static void need_plain(void) {
    if (indexed || changed) make_database();
    need_documents();
    empty_index();
}

static void need_index(void) {
    need_documents();
    if (indexed) return;
    empty_index();
    build_index();
}

// Keeps the bodies that `change_some` is about to replace.
static void prepare_changes(void) {
    if (changed) make_database();
    need_index();
    MDB_txn *transaction = begin(0);
    for (uint64_t number = 0; number < count_changed(); number++) {
        char text[ID_CAPACITY];
        MDB_val id = make_id(text, changed_document(number)), row = find(transaction, &id);
        keep_body(transaction, &row);
    }
    commit(transaction);
    changed = true;
}

// Replaces documents and their rows in the index, all in one transaction.
static void change_some(void) {
    MDB_txn *transaction = begin(0);
    for (uint64_t number = 0; number < count_changed(); number++) {
        char text[ID_CAPACITY];
        uint64_t index = changed_document(number);
        size_t line = line_of(index + 7), length = (size_t)lines.length[line];
        MDB_val id = make_id(text, index), document = find(transaction, &id), score;
        remove_sequence(transaction, row_sequence(&document));
        put(transaction, &id, index, 2, lines.text[line], length);

        check(mdb_get(transaction, keys, &id, &score), "find key");
        Row row = make_row(&id, lines.text[line], length), old = row;
        memcpy(old.key, score.mv_data, SCORE_SIZE);
        bool same = memcmp(old.key, row.key, SCORE_SIZE) == 0;
        MDB_val old_key = {old.size, old.key}, key = {row.size, row.key}, value = {8, &sequence};
        if (!same) check(mdb_del(transaction, scores, &old_key, NULL), "remove row");
        check(mdb_put(transaction, scores, &key, &value, 0), "put row");
        score = (MDB_val){SCORE_SIZE, row.key};
        if (!same) check(mdb_put(transaction, keys, &id, &score, 0), "put key");
    }
    commit(transaction);
}

static unsigned char range_bounds[RANGES][SCORE_SIZE];

static void prepare_ranges(void) {
    need_index();
    MDB_txn *transaction = begin(MDB_RDONLY);
    MDB_cursor *cursor;
    MDB_val key, value;
    uint64_t rank = 0;
    check(mdb_cursor_open(transaction, scores, &cursor), "cursor");
    check(mdb_cursor_get(cursor, &key, &value, MDB_FIRST), "first row");
    for (uint64_t i = 0; i < RANGES; i++) {
        for (; rank < documents * i / RANGES; rank++) check(mdb_cursor_get(cursor, &key, &value, MDB_NEXT), "next row");
        memcpy(range_bounds[i], key.mv_data, SCORE_SIZE);
    }
    mdb_cursor_close(cursor);
    mdb_txn_abort(transaction);
}

static uint64_t touch_row(const MDB_val *key) {
    const unsigned char *bytes = key->mv_data;
    return (uint64_t)(int64_t)unsorted(bytes) + touch(bytes + SCORE_SIZE, key->mv_size - SCORE_SIZE);
}

static void read_ranges(void) {
    MDB_txn *transaction = begin(MDB_RDONLY);
    MDB_cursor *cursor;
    uint64_t rows = 0;
    check(mdb_cursor_open(transaction, scores, &cursor), "cursor");
    for (int i = 0; i < RANGES; i++) {
        const unsigned char *bound = i + 1 < RANGES ? range_bounds[i + 1] : NULL;
        MDB_val key = {SCORE_SIZE, range_bounds[i]}, value;
        int result = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE);
        while (result == MDB_SUCCESS && (!bound || memcmp(key.mv_data, bound, SCORE_SIZE) < 0)) {
            checksum += touch_row(&key);
            rows++;
            result = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
        }
        if (result != MDB_NOTFOUND) check(result, "ranges");
    }
    mdb_cursor_close(cursor);
    mdb_txn_abort(transaction);
    if (rows != documents) fail("the ranges did not give every document");
}

// Opens the file anew and reads the first row of the index, again and again.
static void open_first(void) {
    close_environment();
    for (int i = 0; i < OPENINGS; i++) {
        open_environment();
        MDB_txn *transaction = begin(MDB_RDONLY);
        MDB_cursor *cursor;
        MDB_val key, value;
        open_tables(transaction, 0);
        check(mdb_cursor_open(transaction, scores, &cursor), "cursor");
        check(mdb_cursor_get(cursor, &key, &value, MDB_FIRST), "first row");
        checksum += touch_row(&key);
        mdb_cursor_close(cursor);
        mdb_txn_abort(transaction);
        close_environment();
    }
    reopen();
}
