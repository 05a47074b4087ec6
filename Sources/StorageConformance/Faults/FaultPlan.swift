public import StorageProtocol

/// Decides which calls of a `FaultInjectingEngine` fail. One plan may be used by several engines; it is thread-safe.
public final class FaultPlan: Sendable {
    private struct State {
        var calls = 0
        var failing: (number: Int, error: StorageError)?
        var lost: Set<String> = []
        var failed: String?
        var disorder: ListingDisorder?
        /// Nil while names are not recorded.
        var names: [String]?
    }

    private let state = Locked(State())

    public init() {}

    /// Restarts the count at one, and makes call number `number` fail with `error` instead of reaching the engine.
    public func arm(failingCall number: Int, with error: StorageError) {
        state.withLock { state in
            state.calls = 0
            state.failing = (number, error)
            state.failed = nil
        }
    }

    /// Lets every call through again.
    public func disarm() {
        state.withLock { state in
            state.failing = nil
            state.lost = []
            state.disorder = nil
        }
    }

    /// Loses all calls with this name: they return as if they had succeeded, and do nothing. To prove that a test
    /// detects this.
    public func lose(_ name: String) {
        state.withLock { state in _ = state.lost.insert(name) }
    }

    /// Brings all listings into disorder, as damaged files may. To prove that code which pages through a store
    /// terminates.
    public func bring(into disorder: ListingDisorder) {
        state.withLock { $0.disorder = disorder }
    }

    var disorder: ListingDisorder? { state.withLock { $0.disorder } }

    /// The number of calls since `arm`.
    public var calls: Int { state.withLock { $0.calls } }

    /// The name of the call that has failed since `arm`; nil if none has.
    public var failedCall: String? { state.withLock { $0.failed } }

    /// The calls that `lose` can lose: those that return nothing.
    public static let losableCalls = [
        "insert", "update", "apply", "putRevisionBody", "removeRevisionBody", "purge", "raiseLastSequence", "hide",
        "restore", "trimHiddenEntries", "putLocalDocument",
        "removeLocalDocument", "setExpiration", "setInfo", "setIndexState", "replaceIndexRows", "putIndexEntries",
        "removeIndexEntries", "removeAllIndexEntries", "dropIndex", "setBlobReference", "removeBlobReference",
    ]

    /// Returns the names of the calls that `body` makes, including those that cannot fail.
    func calls<E: Error>(_ body: () throws(E) -> Void) throws(E) -> [String] {
        state.withLock { $0.names = [] }
        try body()
        return state.withLock { $0.names.take() } ?? []
    }

    /// Records a call that cannot fail.
    func note(_ name: String) { state.withLock { $0.names?.append(name) } }

    /// Counts a call. Returns false if it must be lost.
    func admit(_ name: String) throws(StorageError) -> Bool {
        let (error, isLost) = state.withLock { state -> (StorageError?, Bool) in
            state.calls += 1
            state.names?.append(name)
            guard let failing = state.failing, failing.number == state.calls else {
                return (nil, state.lost.contains(name))
            }
            state.failed = name
            return (failing.error, false)
        }
        if let error { throw error }
        return !isLost
    }
}
