// The workloads of lmdb.c that take their turns by chance: see zipfian.h. It includes this after its own functions.
#pragma once

static void read_zipfian(void) {
    Zipfian zipfian = make_zipfian();
    MDB_txn *transaction = begin(MDB_RDONLY);
    for (uint64_t turn = 0; turn < operations; turn++) {
        read_document(transaction, zipfian_document(&zipfian, turn, documents));
    }
    mdb_txn_abort(transaction);
}

// Reads, and updates in so many turns of a hundred, a transaction each. An update may read before, in a transaction of its
// own. It writes another line in each turn.
static void mix_updates(int writes, bool reads_first) {
    Zipfian zipfian = make_zipfian();
    MDB_txn *reader = begin(MDB_RDONLY);
    mdb_txn_reset(reader);
    for (uint64_t turn = 0; turn < operations; turn++) {
        uint64_t index = zipfian_document(&zipfian, turn, documents);
        bool writing = is_write(turn, writes / 100.0);
        if (!writing || reads_first) {
            check(mdb_txn_renew(reader), "renew");
            read_document(reader, index);
            mdb_txn_reset(reader);
        }
        if (!writing) continue;
        size_t line = line_of(turn + 3);
        MDB_txn *transaction = begin(0);
        update(transaction, index, turn + 2, lines.text[line], (size_t)lines.length[line]);
        commit(transaction);
    }
    mdb_txn_abort(reader);
}

static void ycsb_a(void) { mix_updates(YCSB_A, false); }
static void ycsb_b(void) { mix_updates(YCSB_B, false); }
static void ycsb_c(void) { mix_updates(YCSB_C, false); }
static void ycsb_f(void) { mix_updates(YCSB_F, true); }

// Scans of 1 to 100 rows from a document on, and inserts of new documents, a transaction each.
static void ycsb_e(void) {
    Zipfian zipfian = make_zipfian();
    MDB_txn *reader = begin(MDB_RDONLY);
    MDB_cursor *cursor;
    check(mdb_cursor_open(reader, docs, &cursor), "cursor");
    mdb_txn_reset(reader);
    for (uint64_t turn = 0; turn < operations; turn++) {
        if (is_write(turn, YCSB_E / 100.0)) {
            MDB_txn *transaction = begin(0);
            insert(transaction, inserted++);
            commit(transaction);
        } else {
            char text[ID_CAPACITY];
            MDB_val first = make_id(text, zipfian_document(&zipfian, turn, documents));
            check(mdb_txn_renew(reader), "renew");
            check(mdb_cursor_renew(reader, cursor), "renew");
            if (touch_rows(cursor, &first, scan_length(turn)) == 0) fail("a scan did not give its first document");
            mdb_txn_reset(reader);
        }
    }
    mdb_cursor_close(cursor);
    mdb_txn_abort(reader);
    indexed = false;
}
