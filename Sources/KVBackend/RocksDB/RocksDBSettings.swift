#if RocksDB
internal import CSetteeRocksDB
internal import StorageProtocol

/// The options of RocksDB for all families of a store, which share one write buffer, one log and one cache.
@safe
final class RocksDBSettings {
    let options: OpaquePointer
    /// Those of `documents`.
    private let documentOptions: OpaquePointer
    let cache: OpaquePointer
    private let tables: OpaquePointer

    /// - Parameters:
    ///   - memory: about how many bytes the store keeps in memory: half of it for what was written and is in no table
    ///     file yet, half for blocks that were read.
    ///   - isNew: whether to create a database with these families.
    init(memory: Int, isNew: Bool) {
        unsafe options = RocksDBSettings.tracking()
        unsafe tables = rocks_block_based_options_create()
        unsafe cache = rocks_cache_create_lru(memory / 2)
        unsafe rocks_options_set_create_if_missing(options, isNew ? 1 : 0)
        unsafe rocks_options_set_create_missing_column_families(options, isNew ? 1 : 0)
        unsafe rocks_options_set_error_if_exists(options, isNew ? 1 : 0)
        unsafe rocks_options_set_paranoid_checks(options, 1)
        // `RocksDBLogs` has looked before.
        unsafe rocks_options_set_wal_recovery_mode(options, rocks_point_in_time_recovery)
        unsafe RocksDBSettings.setMemory(options, memory)
        unsafe RocksDBSettings.setFiles(options)
        unsafe RocksDBSettings.setTables(options, tables, cache)
        unsafe documentOptions = rocks_options_create_copy(options)
        // Most IDs that are looked up in a write are new ones, and a search in memory costs more than one in a filter.
        unsafe rocks_options_set_memtable_whole_key_filtering(documentOptions, 1)
        unsafe rocks_options_set_memtable_prefix_bloom_size_ratio(documentOptions, 0.02)
    }

    /// The options of a table's family.
    func options(of table: Table) -> OpaquePointer { unsafe table == .documents ? documentOptions : options }

    /// How the last level of a family is compressed.
    enum LastLevel {
        /// Like the others.
        case quickly
        /// With a dictionary. It takes several times as long, and a third less space.
        case well

        /// RocksDB's options.
        fileprivate static let names: [StaticString] = ["bottommost_compression", "bottommost_compression_opts"]

        fileprivate var values: [StaticString] {
            switch self {
            case .quickly: ["kDisableCompressionOption", "{enabled=false}"]
            case .well: ["kZSTD", LastLevel.dictionary]
            }
        }

        /// What the dictionary is made from, at most 4 MiB, is kept in memory.
        private static let dictionary: StaticString =
            "{level=3;max_dict_bytes=16384;zstd_max_train_bytes=1048576;max_dict_buffer_bytes=4194304;enabled=true}"
    }

    deinit {
        unsafe rocks_options_destroy(options)
        unsafe rocks_options_destroy(documentOptions)
        unsafe rocks_block_based_options_destroy(tables)
        unsafe rocks_cache_destroy(cache)
    }

    /// Has the manifest tell the sizes of logs that are complete, so that RocksDB notices one that was cut.
    private static func tracking() -> OpaquePointer {
        let (plain, options): (OpaquePointer, OpaquePointer) = unsafe (rocks_options_create(), rocks_options_create())
        defer { unsafe rocks_options_destroy(plain) }
        var failure: UnsafeMutablePointer<CChar>?
        unsafe rocks_get_options_from_string(plain, "track_and_verify_wals_in_manifest=true", options, &failure)
        // A later version without this option does without it.
        if let failure = unsafe failure { unsafe rocks_free(failure) }
        return unsafe options
    }

    private static func setMemory(_ options: OpaquePointer, _ memory: Int) {
        unsafe rocks_options_set_db_write_buffer_size(options, memory / 2)
        unsafe rocks_options_set_write_buffer_size(options, memory / 2)
        // A family that has little in memory takes little.
        unsafe rocks_options_set_arena_block_size(options, 64 << 10)
        // Or a log would be kept as long as a family that is seldom written has something in it.
        unsafe rocks_options_set_max_total_wal_size(options, UInt64(memory))
    }

    private static func setFiles(_ options: OpaquePointer) {
        unsafe rocks_options_set_max_background_jobs(options, 2)
        unsafe rocks_options_set_max_open_files(options, 256)
        unsafe rocks_options_set_max_file_opening_threads(options, 1)
        unsafe rocks_options_set_level_compaction_dynamic_level_bytes(options, 1)
        unsafe rocks_options_set_level0_file_num_compaction_trigger(options, 8)
        unsafe rocks_options_set_bytes_per_sync(options, 1 << 20)
        unsafe rocks_options_set_max_manifest_file_size(options, 4 << 20)
        // RocksDB's own log has nothing: writing it on a full disk ends the process, by an assertion.
        unsafe rocks_options_set_info_log_level(options, rocks_fatal_level)
        unsafe rocks_options_set_keep_log_file_num(options, 2)
        unsafe rocks_options_set_max_log_file_size(options, 1 << 20)
        unsafe rocks_options_set_stats_dump_period_sec(options, 0)
        unsafe rocks_options_set_stats_persist_period_sec(options, 0)
    }

    private static func setTables(_ options: OpaquePointer, _ tables: OpaquePointer, _ cache: OpaquePointer) {
        unsafe rocks_options_set_compression(options, rocks_lz4_compression)
        unsafe rocks_block_based_options_set_block_cache(tables, cache)
        unsafe rocks_block_based_options_set_block_size(tables, 8 << 10)
        unsafe rocks_block_based_options_set_format_version(tables, 5)
        unsafe rocks_block_based_options_set_filter_policy(tables, rocks_filterpolicy_create_bloom_full(10))
        // What finds blocks is read in parts, and counts in the cache's limit, too.
        unsafe rocks_block_based_options_set_index_type(tables, rocks_two_level_index)
        unsafe rocks_block_based_options_set_partition_filters(tables, 1)
        unsafe rocks_block_based_options_set_metadata_block_size(tables, 4 << 10)
        unsafe rocks_block_based_options_set_cache_index_and_filter_blocks(tables, 1)
        unsafe rocks_block_based_options_set_pin_l0_filter_and_index_blocks_in_cache(tables, 1)
        unsafe rocks_options_set_block_based_table_factory(options, tables)
    }
}

extension RocksDBHandles {
    /// Sets how the last level of a table's family is compressed from now on.
    func compress(_ table: Table, _ lastLevel: RocksDBSettings.LastLevel) throws(StorageError) {
        func texts(_ strings: [StaticString]) -> [UnsafePointer<CChar>?] {
            unsafe strings.map { unsafe UnsafeRawPointer($0.utf8Start).assumingMemoryBound(to: CChar.self) }
        }
        let (names, values) = unsafe (texts(RocksDBSettings.LastLevel.names), texts(lastLevel.values))
        var failure: UnsafeMutablePointer<CChar>?
        unsafe rocks_set_options_cf(db, family(table), Int32(names.count), names, values, &failure)
        try unsafe check(failure, "Changing the compression of the table '\(table.name)'")
    }
}
#endif
