/// How far a database is with getting other files: another storage type, another key, or none.
public struct ConversionProgress: Sendable, Equatable {
    /// What is being done.
    public enum Phase: Sendable {
        /// Contents of attachments are written anew; others may write to the database meanwhile.
        case attachments
        /// Everything else is copied; writers wait from here on.
        case data
        /// The copy is read again.
        case verification
    }

    public var phase: Phase
    /// How many documents of the phase are done; 0 in `attachments`.
    public var documents: UInt64
    /// How many bytes of the phase are done: contents, bodies and other texts, without what engines add.
    public var bytes: UInt64
    /// The share of the phase that is done, from 0 to 1: an estimate.
    public var share: Double
    /// How long the phase has taken.
    public var elapsed: Duration
    /// Whether it goes on with what a conversion had done that was killed: what is there already is gone over, and not
    /// written again.
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

    /// The rate of the phase, on average; 0 at its beginning.
    public var bytesPerSecond: Double {
        let seconds = elapsed / .seconds(1)
        return seconds > 0 ? Double(bytes) / seconds : 0
    }

    /// How long the rest of the phase will take if it goes on like this; nil where that cannot be said yet.
    public var timeLeft: Duration? {
        guard share > 0.01, share <= 1 else { return nil }
        return elapsed * ((1 - share) / share)
    }
}
