internal import Dispatch
internal import SetteeStorageFiles
internal import StorageProtocol

/// Commits of other processes: the store is polled, and looked at soon after somebody has written to its files.
extension ChangeFeed {
    /// How often the store is polled.
    private static let pollInterval = DispatchTimeInterval.milliseconds(200)
    /// What is written first of a commit is written before the commit can be seen, and how long before depends on the
    /// disk. So the store is looked at several times: each time so many milliseconds after the time before.
    private static let looks = [4, 8, 16, 32]
    /// The look before which writes are watched for again. There is one after it, since what was written before it may
    /// not be seen by it.
    private static let armingLook = 2

    struct OtherProcesses {
        var isPolling = false
        /// The store's change counter at the last look.
        var changeCounter: UInt64?
        /// The next look after a write; nil if there is none ahead.
        var look: Int?
        #if os(Linux)
        var watcher: WriteWatcher?
        #endif
    }

    /// Begins to poll, and to watch for writes. Called once as long as there are observers.
    func watchOtherProcesses() {
        #if os(Linux)
        let watcher = WriteWatcher(on: queue) { [weak self] in self?.lookSoon() }
        if watcher == nil { Log.log(.notice, .change, "no watcher for files: other processes' commits arrive later") }
        state.withLock { $0.others.watcher = watcher }
        #endif
        queue.async { self.arm() }
        pollLater()
    }

    // MARK: - On the queue

    private func pollLater() {
        queue.asyncAfter(deadline: .now() + ChangeFeed.pollInterval) { self.poll() }
    }

    /// Looks at the store, and repeats as long as there are observers.
    private func poll() {
        arm()
        tellOfOtherProcesses()
        let goesOn = state.withLock { state in
            state.others.isPolling = state.isObserved && !state.isClosed
            #if os(Linux)
            if !state.others.isPolling { state.others.watcher = nil }
            #endif
            return state.others.isPolling
        }
        if goesOn { pollLater() }
    }

    /// Watches the files of the current generation. It may have changed since the last call.
    private func arm() {
        #if os(Linux)
        let (watcher, database) = state.withLock { ($0.others.watcher, $0.database) }
        if let folder = database?.folder { watcher?.arm(folder.dataDirectory) }
        #endif
    }

    /// Begins the looks after a write.
    private func lookSoon() {
        let isLooking = state.withLock { state in
            defer { state.others.look = 0 }
            return state.others.look != nil
        }
        if !isLooking { lookLater(0) }
    }

    private func lookLater(_ look: Int) {
        queue.asyncAfter(deadline: .now() + .milliseconds(ChangeFeed.looks[look])) { self.look() }
    }

    private func look() {
        guard let look = state.withLock({ $0.others.look }) else { return }
        if look == ChangeFeed.armingLook { arm() }
        tellOfOtherProcesses()
        let next = state.withLock { state in
            state.others.look = look + 1 < ChangeFeed.looks.count && state.isObserved ? look + 1 : nil
            return state.others.look
        }
        if let next { lookLater(next) }
    }

    /// Passes on what other processes have committed.
    private func tellOfOtherProcesses() {
        drain()
        guard let database = state.withLock({ $0.isObserved ? $0.database : nil }),
            let counters = try? database.counters()
        else { return }
        if let step = externalStep(through: counters.lastSequence), let gap = step.gap {
            tellStored(gap, to: step.subscribers, isExternal: true)
        }
        let isNew = state.withLock { state in
            defer { state.others.changeCounter = counters.changeCounter }
            return state.others.changeCounter != counters.changeCounter
        }
        if isNew { tellViewChanges() }
    }

    /// Returns what other processes have committed up to `last`. Commits of this process, in flight or pending, are
    /// excluded: each is known here before it can be seen in the store.
    private func externalStep(through last: UInt64) -> Step? {
        state.withLock { state in
            var end = last
            if let inFlight = state.inFlight { end = min(end, inFlight.lowerBound - 1) }
            if let pending = state.pending.first { end = min(end, pending.sequences.lowerBound - 1) }
            let position = state.position ?? end
            state.position = max(position, end)
            guard end > position else { return nil }
            return Step(gap: position + 1...end, subscribers: state.subscribers)
        }
    }
}
