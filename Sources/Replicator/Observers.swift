internal import StorageProtocol

/// Who wants to know values as they come.
final class Observers<Value: Sendable>: Sendable {
    private struct State {
        var last = 0
        var closures: [Int: @Sendable (Value) -> Void] = [:]
        var ends: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Locked(State())

    /// - Parameter end: called when no value can follow.
    func add(_ body: @escaping @Sendable (Value) -> Void, end: @escaping @Sendable () -> Void = {}) -> Int {
        state.withLock { state in
            state.last += 1
            state.closures[state.last] = body
            state.ends[state.last] = end
            return state.last
        }
    }

    func remove(_ number: Int) {
        state.withLock { state in
            state.closures[number] = nil
            state.ends[number] = nil
        }
    }

    func tell(_ value: Value) {
        let closures = state.withLock { state in state.closures.sorted { $0.key < $1.key }.map(\.value) }
        for closure in closures { closure(value) }
    }

    /// The values from now on. Of those that wait for a slow reader the newest `limit` are kept.
    func stream(keeping limit: Int, from first: Value? = nil) -> AsyncStream<Value> {
        AsyncStream(bufferingPolicy: .bufferingNewest(limit)) { continuation in
            if let first { continuation.yield(first) }
            let number = add({ continuation.yield($0) }, end: { continuation.finish() })
            continuation.onTermination = { [weak self] _ in self?.remove(number) }
        }
    }

    deinit {
        let ends = state.withLock { Array($0.ends.values) }
        for end in ends { end() }
    }
}

/// Listens until it is released.
public final class ReplicatorListener: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
}
