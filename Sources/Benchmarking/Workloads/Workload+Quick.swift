extension Workload {
    /// Some workloads of each kind, for a look that takes about a minute.
    public static let quick: [Workload] = [
        "insert-batch", "insert-1k", "insert-random", "insert-values", "insert-single", "insert-single-full", "update",
        "delete", "read-snapshot", "read-lent", "read-single", "read-zipfian", "scan", "scan-lent", "changes",
        "view-build", "view-update", "view-range", "view-reduce", "view-group", "ycsb-a", "ycsb-b", "ycsb-c-x4",
        "attach-small", "attachment-read-small", "compact", "bulk", "export", "open", "convert",
    ].compactMap(named)
}
