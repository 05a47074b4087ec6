internal import StorageProtocol

/// Which thread waits for which, so that no thread waits for itself.
struct WaitGraph {
    enum Target {
        /// For the current work of a thread.
        case thread(ThreadIdentity)
        /// For a store to be closed, and so for all threads that read from it.
        case readers(ObjectIdentifier)
    }

    private struct Wait {
        var target: Target
        /// The stores that the waiting thread is reading from or writing to.
        var stores: Set<ObjectIdentifier>
    }

    private var waits: [ThreadIdentity: Wait] = [:]

    /// Notes that the calling thread begins to wait. Returns false if it would wait for itself: then it does not wait.
    mutating func begin(for target: Target, reading stores: Set<ObjectIdentifier>) -> Bool {
        let thread = ThreadIdentity.current
        waits[thread] = Wait(target: target, stores: stores)
        guard leads(target, to: thread) else { return true }
        waits[thread] = nil
        return false
    }

    /// Notes that the calling thread no longer waits.
    mutating func end() { waits[.current] = nil }

    private func leads(_ target: Target, to thread: ThreadIdentity) -> Bool {
        var seen: Set<ThreadIdentity> = []
        var targets = [target]
        while let next = targets.popLast() {
            let threads: [ThreadIdentity] =
                switch next {
                case .thread(let owner): [owner]
                case .readers(let store): waits.filter { $0.value.stores.contains(store) }.map(\.key)
                }
            for found in threads where seen.insert(found).inserted {
                if found == thread { return true }
                if let wait = waits[found] { targets.append(wait.target) }
            }
        }
        return false
    }
}
