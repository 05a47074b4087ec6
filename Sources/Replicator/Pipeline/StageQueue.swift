internal import StorageProtocol

/// Hands elements from one stage to the next. A sender waits as long as more than `capacity` are there, a receiver as
/// long as none is.
final class StageQueue<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var isFinished = false
        var isAborted = false
        var senders: [CheckedContinuation<Void, Never>] = []
        var receivers: [CheckedContinuation<Void, Never>] = []
    }

    private let capacity: Int
    private let state = Locked(State())

    init(capacity: Int) { self.capacity = capacity }

    /// - Throws: `CancellationError` after `abort`.
    func send(_ elements: [Element]) async throws {
        guard !elements.isEmpty else { return }
        while true {
            let isSent = try state.withLock { (state) throws -> Bool in
                if state.isAborted { throw CancellationError() }
                guard state.elements.count < capacity else { return false }
                state.elements += elements
                return true
            }
            if isSent { break }
            await waitForRoom()
        }
        wake()
    }

    /// Adds an element if there is room.
    func offer(_ element: Element) {
        state.withLock { if $0.elements.count < capacity { $0.elements.append(element) } }
        wake()
    }

    /// Returns the next elements: one at least, and no more once their weights reach `weight`. Empty at the end.
    ///
    /// - Throws: `CancellationError` after `abort`.
    func receive(
        upTo count: Int,
        weight: Int = .max,
        _ weigh: (Element) -> Int = { _ in 0 }
    ) async throws -> [Element] {
        while true {
            let received = try state.withLock { (state) throws -> [Element]? in
                if state.isAborted { throw CancellationError() }
                var end = 0
                var sum = 0
                while end < min(state.elements.count, max(1, count)), end == 0 || sum < weight {
                    sum += weigh(state.elements[end])
                    end += 1
                }
                guard end > 0 else { return state.isFinished ? [] : nil }
                defer { state.elements.removeFirst(end) }
                return Array(state.elements[..<end])
            }
            if let received {
                wake()
                return received
            }
            await waitForElements()
        }
    }

    /// Nothing follows.
    func finish() {
        state.withLock { $0.isFinished = true }
        wake()
    }

    /// Ends all who wait, and who come.
    func abort() {
        state.withLock { $0.isAborted = true }
        wake()
    }

    private func waitForRoom() async {
        await withCheckedContinuation { continuation in
            let goesOn = state.withLock { state in
                if state.isAborted || state.elements.count < capacity { return true }
                state.senders.append(continuation)
                return false
            }
            if goesOn { continuation.resume() }
        }
    }

    private func waitForElements() async {
        await withCheckedContinuation { continuation in
            let goesOn = state.withLock { state in
                if state.isAborted || state.isFinished || !state.elements.isEmpty { return true }
                state.receivers.append(continuation)
                return false
            }
            if goesOn { continuation.resume() }
        }
    }

    /// Lets those look again who wait for what there is now. They are few.
    private func wake() {
        let waiters = state.withLock { state in
            var waiters: [CheckedContinuation<Void, Never>] = []
            if state.isAborted || state.elements.count < capacity {
                waiters += state.senders
                state.senders = []
            }
            if state.isAborted || state.isFinished || !state.elements.isEmpty {
                waiters += state.receivers
                state.receivers = []
            }
            return waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
