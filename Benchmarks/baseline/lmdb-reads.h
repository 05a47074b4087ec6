// The workloads of lmdb.c that read. It includes this when it has opened a database and filled it.
#pragma once

static MDB_val find(MDB_txn *transaction, MDB_val *id) {
    MDB_val row;
    check(mdb_get(transaction, docs, id, &row), "get");
    return row;
}

static void read_document(MDB_txn *transaction, uint64_t index) {
    char text[ID_CAPACITY];
    MDB_val id = make_id(text, index), row = find(transaction, &id), body = row_body(&row);
    checksum += touch(row_version(&row), VERSION_SIZE) + row_sequence(&row) + touch_value(&body);
}

// A read transaction for single reads: between two of them it is reset and renewed, which keeps its slot.
static void renew(MDB_txn *transaction) {
    mdb_txn_reset(transaction);
    check(mdb_txn_renew(transaction), "renew");
}

// Reads up to `most` rows of the documents from `first` on, or from the beginning if it is NULL. Returns how many.
static uint64_t touch_rows(MDB_cursor *cursor, const MDB_val *first, uint64_t most) {
    MDB_val key = first ? *first : (MDB_val){0, NULL}, row;
    uint64_t rows = 0;
    int result = mdb_cursor_get(cursor, &key, &row, first ? MDB_SET_RANGE : MDB_FIRST);
    while (result == MDB_SUCCESS) {
        MDB_val body = row_body(&row);
        checksum += touch_value(&key) + touch(row_version(&row), VERSION_SIZE) + row_sequence(&row) + touch_value(&body);
        if (++rows == most) return rows;
        result = mdb_cursor_get(cursor, &key, &row, MDB_NEXT);
    }
    if (result != MDB_NOTFOUND) check(result, "scan");
    return rows;
}

static void read_snapshot(void) {
    MDB_txn *transaction = begin(MDB_RDONLY);
    for (uint64_t turn = 0; turn < documents; turn++) read_document(transaction, random_document(turn, documents));
    mdb_txn_abort(transaction);
}

static void read_singly(void) {
    MDB_txn *transaction = begin(MDB_RDONLY);
    for (uint64_t turn = 0; turn < documents; turn++) {
        renew(transaction);
        read_document(transaction, random_document(turn, documents));
    }
    mdb_txn_abort(transaction);
}

// Reads each document by its ID, in no order: a transaction for each query of `KEYS` IDs.
static void read_keys(bool with_bodies) {
    MDB_txn *transaction = begin(MDB_RDONLY);
    for (uint64_t turn = 0; turn < documents; turn++) {
        char text[ID_CAPACITY];
        if (turn % KEYS == 0) renew(transaction);
        MDB_val id = make_id(text, turn * KEY_STEP % documents), row = find(transaction, &id), body = row_body(&row);
        checksum += touch(row_version(&row), VERSION_SIZE) + row_sequence(&row);
        if (with_bodies) checksum += touch_value(&body);
    }
    mdb_txn_abort(transaction);
}

static void read_keys_alone(void) { read_keys(false); }
static void read_keys_docs(void) { read_keys(true); }

static void scan(void) {
    MDB_txn *transaction = begin(MDB_RDONLY);
    MDB_cursor *cursor;
    check(mdb_cursor_open(transaction, docs, &cursor), "cursor");
    uint64_t rows = touch_rows(cursor, NULL, UINT64_MAX);
    mdb_cursor_close(cursor);
    mdb_txn_abort(transaction);
    if (rows != documents) fail("a scan did not give every document");
}

// The row of a sequence holds the ID alone, as Settee's does: the version is that of the document's row, which a second
// cursor looks up. It finds a neighbour on its page.
static void scan_changes(void) {
    MDB_txn *transaction = begin(MDB_RDONLY);
    MDB_cursor *cursor, *finder;
    MDB_val key, id, row;
    uint64_t rows = 0;
    int result;
    check(mdb_cursor_open(transaction, sequences, &cursor), "cursor");
    check(mdb_cursor_open(transaction, docs, &finder), "cursor");
    while ((result = mdb_cursor_get(cursor, &key, &id, MDB_NEXT)) == MDB_SUCCESS) {
        check(mdb_cursor_get(finder, &id, &row, MDB_SET), "find");
        checksum += touch_value(&id) + touch(row_version(&row), VERSION_SIZE) + touch_value(&key);
        rows++;
    }
    if (result != MDB_NOTFOUND) check(result, "changes");
    mdb_cursor_close(finder);
    mdb_cursor_close(cursor);
    mdb_txn_abort(transaction);
    if (rows != documents) fail("the changes did not give every document");
}

// Opens the file anew and reads a document, again and again.
static void open_and_read(void) {
    close_environment();
    for (uint64_t i = 0; i < OPENINGS; i++) {
        open_environment();
        MDB_txn *transaction = begin(MDB_RDONLY);
        open_tables(transaction, 0);
        read_document(transaction, random_document(i, documents));
        mdb_txn_abort(transaction);
        close_environment();
    }
    reopen();
}
