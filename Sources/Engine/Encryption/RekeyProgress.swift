/// How far a database is with being encrypted anew.
public struct RekeyProgress: Sendable, Equatable {
    /// What is being written.
    public enum Phase: Sendable {
        /// Contents of attachments; others may write to the database meanwhile.
        case attachments
        /// Everything else; writers wait meanwhile.
        case data
    }

    public var phase: Phase
    /// How much of the phase is done: bytes of attachments, and for the data a unit of the engine's choice.
    public var done: UInt64
    /// Of how much, in the same unit.
    public var total: UInt64

    public init(phase: Phase, done: UInt64, total: UInt64) {
        self.phase = phase
        self.done = done
        self.total = total
    }
}
