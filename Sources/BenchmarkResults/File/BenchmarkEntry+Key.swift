extension BenchmarkEntry {
    /// What no two entries of a file have in common.
    public struct Key: Codable, Hashable, Sendable {
        public var engine: String
        public var workload: String
        public var documents: Int
    }

    /// The entry's engine, workload and number of documents.
    public var key: Key { Key(engine: engine, workload: workload, documents: documents) }
}
