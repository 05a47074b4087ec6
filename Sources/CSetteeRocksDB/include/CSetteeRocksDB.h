#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// RocksDB's functions as a table: the library is loaded at run time, so that programs start where it is missing. This
/// header deliberately does not include <rocksdb/c.h>: the package is built without it. check.c compares the two where
/// there is one.
///
/// Everywhere a `char **error` is nil or receives a text that `rocks_free` frees.

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

typedef struct rocksdb_block_based_table_options_t rocksdb_block_based_table_options_t;
typedef struct rocksdb_cache_t rocksdb_cache_t;
typedef struct rocksdb_checkpoint_t rocksdb_checkpoint_t;
typedef struct rocksdb_column_family_handle_t rocksdb_column_family_handle_t;
typedef struct rocksdb_compactoptions_t rocksdb_compactoptions_t;
typedef struct rocksdb_filterpolicy_t rocksdb_filterpolicy_t;
typedef struct rocksdb_flushoptions_t rocksdb_flushoptions_t;
typedef struct rocksdb_iterator_t rocksdb_iterator_t;
typedef struct rocksdb_options_t rocksdb_options_t;
typedef struct rocksdb_pinnableslice_t rocksdb_pinnableslice_t;
typedef struct rocksdb_readoptions_t rocksdb_readoptions_t;
typedef struct rocksdb_snapshot_t rocksdb_snapshot_t;
typedef struct rocksdb_t rocksdb_t;
typedef struct rocksdb_writebatch_t rocksdb_writebatch_t;
typedef struct rocksdb_writeoptions_t rocksdb_writeoptions_t;

// Numbers of RocksDB's interface; check.c compares those that its header has.

/// Recovery of the log stops at the first record that is damaged.
#define rocks_point_in_time_recovery 2
#define rocks_fatal_level 4
#define rocks_no_compression 0
#define rocks_lz4_compression 4
#define rocks_two_level_index 2
/// Of `BottommostLevelCompaction`, which the header for C has no names for.
#define rocks_force_optimized 3

/// Every function that is used: result, name without its prefix, parameters, arguments.
#define ROCKS_FUNCTIONS(F) \
    F(rocksdb_t *, open_column_families, \
      (const rocksdb_options_t *options, const char *name, int num_column_families, \
       const char * const *column_family_names, const rocksdb_options_t * const *column_family_options, \
       rocksdb_column_family_handle_t **column_family_handles, char **errptr), \
      (options, name, num_column_families, column_family_names, column_family_options, column_family_handles, \
       errptr)) \
    F(rocksdb_t *, open_for_read_only_column_families, \
      (const rocksdb_options_t *options, const char *name, int num_column_families, \
       const char * const *column_family_names, const rocksdb_options_t * const *column_family_options, \
       rocksdb_column_family_handle_t **column_family_handles, unsigned char error_if_wal_file_exists, \
       char **errptr), \
      (options, name, num_column_families, column_family_names, column_family_options, column_family_handles, \
       error_if_wal_file_exists, errptr)) \
    F(rocksdb_t *, open_as_secondary_column_families, \
      (const rocksdb_options_t *options, const char *name, const char *secondary_path, int num_column_families, \
       const char * const *column_family_names, const rocksdb_options_t * const *column_family_options, \
       rocksdb_column_family_handle_t **column_family_handles, char **errptr), \
      (options, name, secondary_path, num_column_families, column_family_names, column_family_options, \
       column_family_handles, errptr)) \
    F(void, close, (rocksdb_t *db), (db)) \
    F(uint64_t, get_latest_sequence_number, (rocksdb_t *db), (db)) \
    F(void, column_family_handle_destroy, (rocksdb_column_family_handle_t *object), (object)) \
    F(uint32_t, column_family_handle_get_id, (rocksdb_column_family_handle_t *handle), (handle)) \
    F(const rocksdb_snapshot_t *, create_snapshot, (rocksdb_t *db), (db)) \
    F(void, release_snapshot, (rocksdb_t *db, const rocksdb_snapshot_t *snapshot), (db, snapshot)) \
    F(rocksdb_pinnableslice_t *, get_pinned_cf, \
      (rocksdb_t *db, const rocksdb_readoptions_t *options, rocksdb_column_family_handle_t *column_family, \
       const char *key, size_t keylen, char **errptr), \
      (db, options, column_family, key, keylen, errptr)) \
    F(void, pinnableslice_destroy, (rocksdb_pinnableslice_t *v), (v)) \
    F(const char *, pinnableslice_value, (const rocksdb_pinnableslice_t *t, size_t *vlen), (t, vlen)) \
    F(void, batched_multi_get_cf, \
      (rocksdb_t *db, const rocksdb_readoptions_t *options, rocksdb_column_family_handle_t *column_family, \
       size_t num_keys, const char * const *keys_list, const size_t *keys_list_sizes, \
       rocksdb_pinnableslice_t **values, char **errs, bool sorted_input), \
      (db, options, column_family, num_keys, keys_list, keys_list_sizes, values, errs, sorted_input)) \
    F(rocksdb_iterator_t *, create_iterator_cf, \
      (rocksdb_t *db, const rocksdb_readoptions_t *options, rocksdb_column_family_handle_t *column_family), \
      (db, options, column_family)) \
    F(void, iter_destroy, (rocksdb_iterator_t *object), (object)) \
    F(unsigned char, iter_valid, (const rocksdb_iterator_t *object), (object)) \
    F(void, iter_seek_to_first, (rocksdb_iterator_t *object), (object)) \
    F(void, iter_seek_to_last, (rocksdb_iterator_t *object), (object)) \
    F(void, iter_seek, (rocksdb_iterator_t *object, const char *k, size_t klen), (object, k, klen)) \
    F(void, iter_seek_for_prev, (rocksdb_iterator_t *object, const char *k, size_t klen), (object, k, klen)) \
    F(void, iter_next, (rocksdb_iterator_t *object), (object)) \
    F(void, iter_prev, (rocksdb_iterator_t *object), (object)) \
    F(const char *, iter_key, (const rocksdb_iterator_t *object, size_t *klen), (object, klen)) \
    F(const char *, iter_value, (const rocksdb_iterator_t *object, size_t *vlen), (object, vlen)) \
    F(void, iter_get_error, (const rocksdb_iterator_t *object, char **errptr), (object, errptr)) \
    F(rocksdb_writebatch_t *, writebatch_create_from, (const char *rep, size_t size), (rep, size)) \
    F(void, writebatch_destroy, (rocksdb_writebatch_t *object), (object)) \
    F(void, write, \
      (rocksdb_t *db, const rocksdb_writeoptions_t *options, rocksdb_writebatch_t *batch, char **errptr), \
      (db, options, batch, errptr)) \
    F(void, flush_cf, \
      (rocksdb_t *db, const rocksdb_flushoptions_t *options, rocksdb_column_family_handle_t *column_family, \
       char **errptr), \
      (db, options, column_family, errptr)) \
    F(void, flush_wal, (rocksdb_t *db, unsigned char sync, char **errptr), (db, sync, errptr)) \
    F(void, set_options_cf, \
      (rocksdb_t *db, rocksdb_column_family_handle_t *handle, int count, const char * const *keys, \
       const char * const *values, char **errptr), \
      (db, handle, count, keys, values, errptr)) \
    F(void, compact_range_cf_opt, \
      (rocksdb_t *db, rocksdb_column_family_handle_t *column_family, rocksdb_compactoptions_t *opt, \
       const char *start_key, size_t start_key_len, const char *limit_key, size_t limit_key_len), \
      (db, column_family, opt, start_key, start_key_len, limit_key, limit_key_len)) \
    F(void, disable_manual_compaction, (rocksdb_t *db), (db)) \
    F(void, enable_manual_compaction, (rocksdb_t *db), (db)) \
    F(void, cancel_all_background_work, (rocksdb_t *db, unsigned char wait), (db, wait)) \
    F(int, property_int_cf, \
      (rocksdb_t *db, rocksdb_column_family_handle_t *column_family, const char *propname, uint64_t *out_val), \
      (db, column_family, propname, out_val)) \
    F(char *, property_value, (rocksdb_t *db, const char *propname), (db, propname)) \
    F(char *, property_value_cf, \
      (rocksdb_t *db, rocksdb_column_family_handle_t *column_family, const char *propname), \
      (db, column_family, propname)) \
    F(rocksdb_checkpoint_t *, checkpoint_object_create, (rocksdb_t *db, char **errptr), (db, errptr)) \
    F(void, checkpoint_create, \
      (rocksdb_checkpoint_t *checkpoint, const char *checkpoint_dir, uint64_t log_size_for_flush, char **errptr), \
      (checkpoint, checkpoint_dir, log_size_for_flush, errptr)) \
    F(void, checkpoint_object_destroy, (rocksdb_checkpoint_t *checkpoint), (checkpoint)) \
    F(void, get_options_from_string, \
      (const rocksdb_options_t *base_options, const char *opts_str, rocksdb_options_t *new_options, char **errptr), \
      (base_options, opts_str, new_options, errptr)) \
    F(rocksdb_options_t *, options_create, (void), ()) \
    F(rocksdb_options_t *, options_create_copy, (rocksdb_options_t *options), (options)) \
    F(void, options_set_memtable_prefix_bloom_size_ratio, (rocksdb_options_t *opt, double v), (opt, v)) \
    F(void, options_set_memtable_whole_key_filtering, (rocksdb_options_t *opt, unsigned char v), (opt, v)) \
    F(void, options_destroy, (rocksdb_options_t *object), (object)) \
    F(void, options_set_create_if_missing, (rocksdb_options_t *object, unsigned char value), (object, value)) \
    F(void, options_set_create_missing_column_families, \
      (rocksdb_options_t *object, unsigned char value), \
      (object, value)) \
    F(void, options_set_error_if_exists, (rocksdb_options_t *object, unsigned char value), (object, value)) \
    F(void, options_set_paranoid_checks, (rocksdb_options_t *object, unsigned char value), (object, value)) \
    F(void, options_set_db_write_buffer_size, (rocksdb_options_t *object, size_t value), (object, value)) \
    F(void, options_set_write_buffer_size, (rocksdb_options_t *object, size_t value), (object, value)) \
    F(void, options_set_arena_block_size, (rocksdb_options_t *object, size_t value), (object, value)) \
    F(void, options_set_level0_file_num_compaction_trigger, (rocksdb_options_t *opt, int n), (opt, n)) \
    F(void, options_set_max_total_wal_size, (rocksdb_options_t *opt, uint64_t n), (opt, n)) \
    F(void, options_set_max_background_jobs, (rocksdb_options_t *object, int value), (object, value)) \
    F(void, options_set_max_open_files, (rocksdb_options_t *object, int value), (object, value)) \
    F(void, options_set_wal_recovery_mode, (rocksdb_options_t *object, int value), (object, value)) \
    F(void, options_set_info_log_level, (rocksdb_options_t *object, int value), (object, value)) \
    F(void, options_set_keep_log_file_num, (rocksdb_options_t *object, size_t value), (object, value)) \
    F(void, options_set_max_log_file_size, (rocksdb_options_t *object, size_t value), (object, value)) \
    F(void, options_set_stats_dump_period_sec, (rocksdb_options_t *object, unsigned int value), (object, value)) \
    F(void, options_set_stats_persist_period_sec, (rocksdb_options_t *object, unsigned int value), (object, value)) \
    F(void, options_set_compression, (rocksdb_options_t *object, int value), (object, value)) \
    F(void, options_set_block_based_table_factory, \
      (rocksdb_options_t *opt, rocksdb_block_based_table_options_t *table_options), \
      (opt, table_options)) \
    F(void, options_set_level_compaction_dynamic_level_bytes, \
      (rocksdb_options_t *object, unsigned char value), \
      (object, value)) \
    F(void, options_set_bytes_per_sync, (rocksdb_options_t *object, uint64_t value), (object, value)) \
    F(void, options_set_wal_bytes_per_sync, (rocksdb_options_t *object, uint64_t value), (object, value)) \
    F(void, options_set_max_manifest_file_size, (rocksdb_options_t *object, size_t value), (object, value)) \
    F(void, options_set_max_file_opening_threads, (rocksdb_options_t *object, int value), (object, value)) \
    F(void, options_set_avoid_unnecessary_blocking_io, \
      (rocksdb_options_t *object, unsigned char value), \
      (object, value)) \
    F(rocksdb_block_based_table_options_t *, block_based_options_create, (void), ()) \
    F(void, block_based_options_destroy, (rocksdb_block_based_table_options_t *options), (options)) \
    F(void, block_based_options_set_block_cache, \
      (rocksdb_block_based_table_options_t *options, rocksdb_cache_t *block_cache), \
      (options, block_cache)) \
    F(void, block_based_options_set_block_size, \
      (rocksdb_block_based_table_options_t *options, size_t block_size), \
      (options, block_size)) \
    F(void, block_based_options_set_filter_policy, \
      (rocksdb_block_based_table_options_t *options, rocksdb_filterpolicy_t *filter_policy), \
      (options, filter_policy)) \
    F(void, block_based_options_set_cache_index_and_filter_blocks, \
      (rocksdb_block_based_table_options_t *object, unsigned char value), \
      (object, value)) \
    F(void, block_based_options_set_pin_l0_filter_and_index_blocks_in_cache, \
      (rocksdb_block_based_table_options_t *object, unsigned char value), \
      (object, value)) \
    F(void, block_based_options_set_format_version, \
      (rocksdb_block_based_table_options_t *object, int value), \
      (object, value)) \
    F(void, block_based_options_set_index_type, \
      (rocksdb_block_based_table_options_t *object, int value), \
      (object, value)) \
    F(void, block_based_options_set_partition_filters, \
      (rocksdb_block_based_table_options_t *options, unsigned char partition_filters), \
      (options, partition_filters)) \
    F(void, block_based_options_set_metadata_block_size, \
      (rocksdb_block_based_table_options_t *options, uint64_t metadata_block_size), \
      (options, metadata_block_size)) \
    F(rocksdb_cache_t *, cache_create_lru, (size_t capacity), (capacity)) \
    F(void, cache_destroy, (rocksdb_cache_t *cache), (cache)) \
    F(size_t, cache_get_usage, (rocksdb_cache_t *cache), (cache)) \
    F(rocksdb_filterpolicy_t *, filterpolicy_create_bloom_full, (double bits_per_key), (bits_per_key)) \
    F(rocksdb_readoptions_t *, readoptions_create, (void), ()) \
    F(void, readoptions_destroy, (rocksdb_readoptions_t *object), (object)) \
    F(void, readoptions_set_snapshot, \
      (rocksdb_readoptions_t *object, const rocksdb_snapshot_t *value), \
      (object, value)) \
    F(void, readoptions_set_fill_cache, (rocksdb_readoptions_t *object, unsigned char value), (object, value)) \
    F(void, readoptions_set_verify_checksums, (rocksdb_readoptions_t *object, unsigned char value), (object, value)) \
    F(void, readoptions_set_readahead_size, (rocksdb_readoptions_t *object, size_t value), (object, value)) \
    F(void, readoptions_set_iterate_lower_bound, \
      (rocksdb_readoptions_t *object, const char *key, size_t keylen), \
      (object, key, keylen)) \
    F(void, readoptions_set_iterate_upper_bound, \
      (rocksdb_readoptions_t *object, const char *key, size_t keylen), \
      (object, key, keylen)) \
    F(rocksdb_writeoptions_t *, writeoptions_create, (void), ()) \
    F(void, writeoptions_destroy, (rocksdb_writeoptions_t *object), (object)) \
    F(void, writeoptions_set_sync, (rocksdb_writeoptions_t *object, unsigned char value), (object, value)) \
    F(rocksdb_flushoptions_t *, flushoptions_create, (void), ()) \
    F(void, flushoptions_destroy, (rocksdb_flushoptions_t *object), (object)) \
    F(void, flushoptions_set_wait, (rocksdb_flushoptions_t *object, unsigned char value), (object, value)) \
    F(rocksdb_compactoptions_t *, compactoptions_create, (void), ()) \
    F(void, compactoptions_destroy, (rocksdb_compactoptions_t *object), (object)) \
    F(void, compactoptions_set_exclusive_manual_compaction, \
      (rocksdb_compactoptions_t *object, unsigned char value), \
      (object, value)) \
    F(void, compactoptions_set_bottommost_level_compaction, \
      (rocksdb_compactoptions_t *object, unsigned char value), \
      (object, value)) \
    F(void, free, (void *ptr), (ptr))

typedef struct RocksAPI {
#define ROCKS_FIELD(result, name, parameters, arguments) result(*name) parameters;
    ROCKS_FUNCTIONS(ROCKS_FIELD)
#undef ROCKS_FIELD
} RocksAPI;

/// Filled by `rocks_load`.
extern RocksAPI rocks_api;

/// Why the library could not be loaded.
typedef enum RocksLoading {
    rocks_loaded,
    /// The system has no such library.
    rocks_library_missing,
    /// It lacks functions that are needed.
    rocks_library_unfit,
} RocksLoading;

/// Loads the library with the first call. The same at every call.
RocksLoading rocks_load(void);

/// The CRC-32C (Castagnoli, RFC 3720 section 12.1) of some bytes, as RocksDB's files have it.
uint32_t rocks_crc32c(const void *bytes, size_t count);

// The calls, through the table, as `rocks_name`. Static inline, because a function pointer in a struct imports into
// Swift as an optional closure.
#define ROCKS_CALL(result, name, parameters, arguments) \
    static inline result rocks_##name parameters { return rocks_api.name arguments; }
ROCKS_FUNCTIONS(ROCKS_CALL)
#undef ROCKS_CALL

#pragma clang diagnostic pop
