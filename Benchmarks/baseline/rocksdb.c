// What RocksDB can do with the same documents when nothing is in the way: no JSON, no digests, no revision trees.
//
// baseline-rocksdb --db PATH --data FILE --workload NAME[,NAME...] [--docs N] [--durability NORMAL|FULL]
//          [--ids ordered|random]
//
// The folder PATH, or a file in its place, is removed at the start, and the folder at the end: PATH is a file for the other
// programs. Documents and sequences are two column families with the settings of Settee's
// engine (docs/internals/rocksdb-engine.md). One line of JSON is printed for each workload:
// {"workload","documents","seconds","opsPerSecond","cpuSeconds"}.
#include "program.h"

#include <rocksdb/c.h>

enum { HEAD_SIZE = VERSION_SIZE + 8, FAMILIES = 2, MEMORY = 64 << 20 };

static const char *const names[FAMILIES] = {"default", "sequences"};
static rocksdb_t *db;
static rocksdb_options_t *options;
static rocksdb_column_family_handle_t *families[FAMILIES];  // ID -> version, sequence, body; sequence -> ID
static uint64_t sequence;

static void check(char *error, const char *what) {
    if (!error) return;
    fprintf(stderr, "%s: %s\n", what, error);
    exit(1);
}

static void make_options(void) {
    options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(options, 1);
    rocksdb_options_set_create_missing_column_families(options, 1);
    rocksdb_options_set_db_write_buffer_size(options, MEMORY);
    rocksdb_options_set_write_buffer_size(options, MEMORY);
    rocksdb_options_set_arena_block_size(options, 64 << 10);
    rocksdb_options_set_max_total_wal_size(options, 2 * MEMORY);
    rocksdb_options_set_max_background_jobs(options, 2);
    rocksdb_options_set_level_compaction_dynamic_level_bytes(options, 1);
    rocksdb_options_set_bytes_per_sync(options, 1 << 20);
    rocksdb_options_set_compression(options, rocksdb_lz4_compression);
    rocksdb_options_set_bottommost_compression(options, rocksdb_zstd_compression);
    rocksdb_block_based_table_options_t *tables = rocksdb_block_based_options_create();
    rocksdb_block_based_options_set_block_cache(tables, rocksdb_cache_create_lru(MEMORY));
    rocksdb_block_based_options_set_block_size(tables, 8 << 10);
    rocksdb_block_based_options_set_format_version(tables, 5);
    rocksdb_block_based_options_set_filter_policy(tables, rocksdb_filterpolicy_create_bloom_full(10));
    rocksdb_block_based_options_set_cache_index_and_filter_blocks(tables, 1);
    rocksdb_options_set_block_based_table_factory(options, tables);
}

static void close_database(void) {
    if (!db) return;
    for (int i = 0; i < FAMILIES; i++) rocksdb_column_family_handle_destroy(families[i]);
    rocksdb_close(db);
    db = NULL;
}

static void destroy_database(void) {
    char *error = NULL;
    close_database();
    rocksdb_destroy_db(options, path, &error);
    check(error, "destroy");
}

static void make_database(void) {
    char *error = NULL;
    if (!options) make_options();
    unlink(path);  // another program's database
    destroy_database();
    const rocksdb_options_t *all[FAMILIES] = {options, options};
    db = rocksdb_open_column_families(options, path, FAMILIES, names, all, families, &error);
    check(error, "open");
    sequence = 0;
}

static void insert(rocksdb_writebatch_t *batch, uint64_t index) {
    char id[ID_CAPACITY];
    size_t id_length = (size_t)document_id(id, index, random_ids);
    size_t line = line_of(index);
    size_t length = (size_t)lines.length[line];
    unsigned char head[HEAD_SIZE], number[8];
    sequence++;
    for (int i = 0; i < 8; i++) number[i] = (unsigned char)(sequence >> (56 - 8 * i));
    make_version(head, index, 1);
    memcpy(head + VERSION_SIZE, &sequence, 8);
    const char *key[1] = {id}, *value[2] = {(char *)head, lines.text[line]};
    size_t key_length[1] = {id_length}, value_length[2] = {HEAD_SIZE, length};
    rocksdb_writebatch_putv_cf(batch, families[0], 1, key, key_length, 2, value, value_length);
    rocksdb_writebatch_put_cf(batch, families[1], (char *)number, 8, id, id_length);
}

// Fills a new database in batches of `size` documents.
static void insert_all(uint64_t size) {
    rocksdb_writeoptions_t *writing = rocksdb_writeoptions_create();
    rocksdb_writeoptions_set_sync(writing, full);
    rocksdb_writebatch_t *batch = rocksdb_writebatch_create();
    for (uint64_t index = 0; index < documents;) {
        uint64_t end = documents - index < size ? documents : index + size;
        for (; index < end; index++) insert(batch, index);
        char *error = NULL;
        rocksdb_write(db, writing, batch, &error);
        check(error, "write");
        rocksdb_writebatch_clear(batch);
    }
    rocksdb_writebatch_destroy(batch);
    rocksdb_writeoptions_destroy(writing);
}

static void insert_batches(void) { insert_all(BATCH); }
static void insert_singly(void) { insert_all(1); }

static const Workload workloads[] = {
    {"insert-batch", make_database, insert_batches, NULL},
    {"insert-single", make_database, insert_singly, NULL},
};

int main(int count, char **arguments) {
    const Program program = {
        .documents = 100000,
        .usage = "usage: --db PATH --data FILE --workload NAME[,NAME...] [--docs N] [--durability NORMAL|FULL]"
                 " [--ids ordered|random]",
        .workloads = workloads,
        .workload_count = sizeof workloads / sizeof workloads[0],
        .needs_data = true,
    };
    run_program(&program, count, arguments);
    destroy_database();
    return 0;
}
