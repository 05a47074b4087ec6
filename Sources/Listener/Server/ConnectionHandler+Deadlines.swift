internal import NIOCore
internal import SetteeCouchProtocol

/// One timer for each connection. It is set anew only when a deadline comes earlier: one that has moved on is seen
/// when the timer fires, so that a request costs no timer.
extension ConnectionHandler {
    func updateTimer() {
        guard context != nil, let earliest = deadlines.earliest else { return }
        if let timerDeadline, timerDeadline <= earliest { return }
        timer?.cancel()
        timerDeadline = earliest
        let handler = NIOLoopBound(self, eventLoop: loop)
        timer = loop.scheduleTask(deadline: earliest) { handler.value.timerFired() }
    }

    private func timerFired() {
        timer = nil
        timerDeadline = nil
        let now = NIODeadline.now()
        while context != nil, let kind = deadlines.takeExpired(at: now) {
            switch kind {
            case .phase: phaseExpired(now)
            case .body: bodyExpired()
            case .write: writeExpired(now)
            }
        }
        updateTimer()
    }

    private func phaseExpired(_ now: NIODeadline) {
        if phase == .head { refuse(.slowHead) } else { close() }
    }

    private func bodyExpired() {
        if current?.isDraining ?? true { close() } else { failBody(.slowBody) }
    }

    /// Looks four times in the time allowed whether the client has taken something.
    private func writeExpired(_ now: NIODeadline) {
        let bytes = bytesToSend
        if bytes < unsentBytes { lastProgress = now }
        unsentBytes = bytes
        guard now - lastProgress < settings.stalledTime else { return close() }
        deadlines.write = now + settings.stalledTime / 4
    }

    /// Counts a write that is about to be made.
    func willWrite() -> EventLoopPromise<Void> {
        unsentWrites += 1
        return loop.makePromise()
    }

    /// Counts a write that the operating system has taken, or never will.
    func didWrite() {
        unsentWrites -= 1
        lastProgress = .now()
        unsentBytes = bytesToSend
        if unsentWrites == 0 { deadlines.write = nil }
    }

    /// Watches whether the client reads, if writes have not been taken at once.
    func watchWrites() {
        guard unsentWrites > 0, deadlines.write == nil else { return }
        unsentBytes = bytesToSend
        lastProgress = .now()
        deadlines.write = lastProgress + settings.stalledTime / 4
        updateTimer()
    }

    private var bytesToSend: Int {
        let options = context?.channel.syncOptions
        return (try? options?.getOption(.bufferedWritableBytes)) ?? 0
    }

    func updateBodyDeadline() {
        guard let current, !current.isReceived else { return }
        if current.isHeld || current.awaitsContinue {
            self.current?.clock.stand(at: .now())
        } else {
            self.current?.clock.run(at: .now())
        }
        deadlines.body = self.current?.clock.deadline
        updateTimer()
    }
}

extension TimeAmount {
    fileprivate static func / (amount: TimeAmount, divisor: Int64) -> TimeAmount {
        .nanoseconds(max(1, amount.nanoseconds / divisor))
    }
}
