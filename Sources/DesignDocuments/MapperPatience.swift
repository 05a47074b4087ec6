internal import SetteeJavaScript
internal import StorageProtocol

/// How long a map function is run that meets its limits: for a few documents, then not for a while.
///
/// Each such document costs a core for about twice the limit. So a function that loops takes 40 seconds, and again
/// after each pause, however often its view is queried. Documents that are known to meet a limit are not tried again,
/// so that an index with only a few of them is finished in the end.
struct MapperPatience {
    private static let mostFaults = 4
    private static let longestPause = Duration.seconds(3600)
    private static let mostKnown = 10_000

    /// Documents that have met a limit, by their digests.
    private var known: [[UInt8]: JavaScriptError] = [:]
    private var faults = 0
    private var pause: Duration
    /// Why, and until when, the function is not run.
    private var suspension: (error: JavaScriptError, end: ContinuousClock.Instant)?

    init(pause: Duration) { self.pause = pause }

    /// - Throws: If the function is not to be run now.
    mutating func admit() throws(StorageError) {
        guard let suspension else { return }
        guard suspension.end <= .now else { throw StorageError(suspendedBy: suspension.error) }
        self.suspension = nil
        faults = 0
    }

    /// The limit that a document has met before.
    func limit(of document: [UInt8]) -> JavaScriptError? {
        known.isEmpty ? nil : known[DesignHash.digest(document)]
    }

    /// Notes that a document has met a limit.
    mutating func note(_ document: [UInt8], _ error: JavaScriptError) {
        if known.count < MapperPatience.mostKnown { known[DesignHash.digest(document)] = error }
        faults += 1
        guard faults >= MapperPatience.mostFaults, suspension == nil else { return }
        suspension = (error, .now + pause)
        pause = min(pause * 2, MapperPatience.longestPause)
    }
}
