/// Which storage type a load should have, and why.
public struct Recommendation: Codable, Equatable, Sendable {
    /// What was measured of a storage type with its settings.
    public struct Candidate: Codable, Equatable, Sendable {
        public var name: String
        public var storageType: String
        public var compression: String?
        /// Microseconds of an operation of the load on average: the median of the rounds.
        public var microseconds: Double?
        /// The same of each round.
        public var rounds: [Double] = []
        /// Microseconds of each operation, by its name.
        public var costs: [String: Double] = [:]
        /// Of the files, with the documents of the load.
        public var bytesOnDisk: Double?
        /// The part of those that memory has no room for.
        public var uncachedPart: Double?
        /// The most memory of the process's own while it was measured.
        public var peakMemory: Double?
        /// The digest of the content that the replay of a trace has left. All candidates have the same.
        public var digest: String?
        /// Why it cannot be recommended; nil if it can.
        public var refused: String?
    }

    /// Nil if there is none.
    public var storageType: String?
    public var compression: String?
    public var durability: String
    public var reasons: [String]
    /// What would change the choice.
    public var wouldChange: [String]
    /// The part of each operation.
    public var parts: [String: Double]
    public var candidates: [Candidate]
    /// Microseconds of reading a page that is not in memory; nil if that does not matter.
    public var diskMicroseconds: Double?
}
