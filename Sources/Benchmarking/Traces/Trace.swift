public import Foundation
public import StorageProtocol

/// What the databases of a manager did, read from a file (docs/reference/traces.md) that may come from anywhere.
public struct Trace: Sendable {
    /// The most events that are read. One takes about 200 bytes of memory.
    public static let mostEvents = 10_000_000
    static let mostDatabases = 10_000
    /// The most hashes in one line.
    static let mostSubjects = 1000
    static let longestHistory: UInt64 = 65_536
    /// In bytes; documents may have half of it.
    static let largestBody: UInt64 = 1 << 26
    static let largestContent: UInt64 = 1 << 40

    /// When it began, as the file says.
    public let began: String
    /// Hashes of traces with different salts cannot be compared.
    public let salt: String
    /// The operations, in the order in which they ended.
    public let events: [TraceEvent]
    /// How many lines were left out because their kind of operation is not known.
    public let unknownOperations: Int
    /// Whether the file ends in the middle of a line, which was left out.
    public let isCutOff: Bool

    /// Reads a trace.
    ///
    /// - Throws: `fileSystem` (498) if the file cannot be read, `badEncoding` (490) with the number of the line if it
    ///   is not a trace, `unsupportedFormat` (591) for a later format, `tooLarge` (413) for too long a line, or for too
    ///   many.
    /// - Complexity: O(file) time and memory, at most `mostEvents`.
    public init(contentsOf url: URL) throws(StorageError) {
        guard url.isFileURL else { throw StorageError(.badParameter, "A trace is read from a file URL.") }
        var lines = try TraceLineReader(path: url.path)
        guard let first = try lines.next() else {
            throw TraceLineParser.damaged(1, "is not whole: this is not a trace")
        }
        (began, salt) = try TraceLineParser(first, line: 1).header()
        var events: [TraceEvent] = []
        var unknown = 0
        while let text = try lines.next() {
            guard let event = try TraceLineParser(text, line: lines.line).event() else {
                unknown += 1
                continue
            }
            guard events.count < Trace.mostEvents else {
                throw StorageError(.tooLarge, "The trace has more than \(Trace.mostEvents) operations.")
            }
            events.append(event)
        }
        self.events = events
        unknownOperations = unknown
        isCutOff = lines.isCutOff
    }

    /// A trace of these operations.
    public init(_ events: [TraceEvent]) {
        began = ""
        salt = ""
        self.events = events
        unknownOperations = 0
        isCutOff = false
    }
}
