/// The progress of giving a database other files: of another storage type, with another key, or without one.
public struct ConversionProgress: Sendable, Equatable {
    /// What is being done.
    public enum Phase: Sendable {
        /// Contents of attachments are rewritten. Others may write to the database.
        case attachments
        /// Everything else is copied. Writers wait from here on.
        case data
        /// The copy is verified by reading it.
        case verification
    }

    public var phase: Phase
    /// How many documents of the phase are done; 0 in `attachments`.
    public var documents: UInt64
    /// How many bytes of the phase are done: contents, bodies and other texts, without what engines add.
    public var bytes: UInt64
    /// The share of the phase that is done, from 0 to 1: an estimate.
    public var share: Double
    /// The duration of the phase so far.
    public var elapsed: Duration
    /// Whether this continues a conversion that was killed: what it has already written is read but not written again.
    public var isResumed: Bool

    public init(
        phase: Phase,
        documents: UInt64,
        bytes: UInt64,
        share: Double,
        elapsed: Duration,
        isResumed: Bool = false
    ) {
        self.isResumed = isResumed
        self.phase = phase
        self.documents = documents
        self.bytes = bytes
        self.share = share
        self.elapsed = elapsed
    }

    /// The average rate of the phase; 0 at its beginning.
    public var bytesPerSecond: Double {
        let seconds = elapsed / .seconds(1)
        return seconds > 0 ? Double(bytes) / seconds : 0
    }

    /// The estimated time for the rest of the phase; nil if it cannot be estimated yet.
    public var timeLeft: Duration? {
        guard share > 0.01, share <= 1 else { return nil }
        return elapsed * ((1 - share) / share)
    }
}
