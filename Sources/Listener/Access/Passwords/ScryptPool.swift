internal import Crypto
internal import Dispatch
internal import SetteeCouchProtocol
internal import StorageProtocol

/// Runs scrypt on threads of its own: few at a time, since each run takes 16 MiB and a processor, and with a bounded
/// queue.
final class ScryptPool: Sendable {
    private struct State {
        var running = 0
        var waiting: [@Sendable () -> Void] = []
        var runs = 0
    }

    private let limit: Int
    private let longestQueue: Int
    private let state = Locked(State())
    private let queue = DispatchQueue(label: "settee.listener.scrypt", attributes: .concurrent)

    init(limit: Int = 2, longestQueue: Int = 64) {
        self.limit = limit
        self.longestQueue = longestQueue
    }

    /// How often scrypt has begun.
    var runs: Int { state.withLock { $0.runs } }
    /// How many calls wait for their turn.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Returns whether the password has the hash.
    ///
    /// - Throws: `service_unavailable` (503) if too many wait; `internal_server_error` (500) if there is no memory.
    func verify(
        _ password: String,
        salt: [UInt8],
        hash: [UInt8],
        _ parameters: ScryptParameters
    ) async throws(CouchError) -> Bool {
        let outcome = await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
            let isTaken = submit {
                guard let key = Scrypt.hash(password, salt: salt, parameters) else {
                    return continuation.resume(returning: .failed)
                }
                // Keys are compared in constant time.
                continuation.resume(returning: key == SymmetricKey(data: hash) ? .right : .wrong)
            }
            if !isTaken { continuation.resume(returning: .refused) }
        }
        switch outcome {
        case .right: return true
        case .wrong: return false
        case .refused: throw .unavailable
        case .failed: throw .internalError
        }
    }

    private enum Outcome {
        case right
        case wrong
        case refused
        case failed
    }

    /// Starts the job now or later. False if too many wait.
    func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
        let (isTaken, startsNow) = state.withLock { state in
            if state.running < limit {
                state.running += 1
                return (true, true)
            }
            guard state.waiting.count < longestQueue else { return (false, false) }
            state.waiting.append(job)
            return (true, false)
        }
        if startsNow { queue.async { self.run(job) } }
        return isTaken
    }

    /// Runs the job, then those that wait.
    private func run(_ job: @escaping @Sendable () -> Void) {
        var next: (@Sendable () -> Void)? = job
        while let job = next {
            state.withLock { $0.runs += 1 }
            job()
            next = state.withLock { state in
                if state.waiting.isEmpty {
                    state.running -= 1
                    return nil
                }
                return state.waiting.removeFirst()
            }
        }
    }
}
