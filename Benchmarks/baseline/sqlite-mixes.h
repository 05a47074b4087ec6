// The workloads of sqlite.c that take their turns by chance: see zipfian.h. It includes this after its own functions.
#pragma once

static void read_zipfian(void) {
    Zipfian zipfian = make_zipfian();
    run("BEGIN");
    sqlite3_stmt *query = prepare(SELECT_DOCUMENT);
    for (uint64_t turn = 0; turn < operations; turn++) read_document(query, zipfian_document(&zipfian, turn, documents));
    sqlite3_finalize(query);
    run("COMMIT");
}

// Reads, and updates in so many turns of a hundred, a transaction each. An update may read before, in a transaction of its
// own. It writes another line in each turn.
static void mix_updates(int writes, bool reads_first) {
    Zipfian zipfian = make_zipfian();
    sqlite3_stmt *query = prepare(SELECT_DOCUMENT), *begin = prepare("BEGIN IMMEDIATE"), *commit = prepare("COMMIT");
    Updater updater = make_updater();
    for (uint64_t turn = 0; turn < operations; turn++) {
        uint64_t index = zipfian_document(&zipfian, turn, documents);
        bool writing = is_write(turn, writes / 100.0);
        if (!writing || reads_first) read_document(query, index);
        if (!writing) continue;
        size_t line = line_of(turn + 3);
        finish(begin);
        update(&updater, index, turn + 2, lines.text[line], lines.length[line]);
        finish(commit);
    }
    free_updater(&updater);
    sqlite3_finalize(query);
    sqlite3_finalize(begin);
    sqlite3_finalize(commit);
}

static void ycsb_a(void) { mix_updates(YCSB_A, false); }
static void ycsb_b(void) { mix_updates(YCSB_B, false); }
static void ycsb_c(void) { mix_updates(YCSB_C, false); }
static void ycsb_f(void) { mix_updates(YCSB_F, true); }

// Scans of 1 to 100 rows from a document on, and inserts of new documents, a transaction each.
static void ycsb_e(void) {
    Zipfian zipfian = make_zipfian();
    sqlite3_stmt *query = prepare("SELECT id, version, sequence, body FROM docs WHERE id >= ? ORDER BY id LIMIT ?");
    sqlite3_stmt *begin = prepare("BEGIN IMMEDIATE"), *commit = prepare("COMMIT");
    Inserter inserter = make_inserter(1);
    for (uint64_t turn = 0; turn < operations; turn++) {
        if (is_write(turn, YCSB_E / 100.0)) {
            finish(begin);
            insert(&inserter, inserted++);
            finish(commit);
        } else {
            char id[ID_CAPACITY];
            int length = document_id(id, zipfian_document(&zipfian, turn, documents), random_ids);
            sqlite3_bind_text(query, 1, id, length, SQLITE_STATIC);
            sqlite3_bind_int64(query, 2, (sqlite3_int64)scan_length(turn));
            if (touch_rows(query) == 0) fail("a scan did not give its first document");
        }
    }
    sqlite3_finalize(inserter.statement);
    sqlite3_finalize(query);
    sqlite3_finalize(begin);
    sqlite3_finalize(commit);
}
