internal import CSetteeJavaScript
internal import SetteeSystemLibrary

extension ChildProcess {
    /// How often the child's memory is looked at.
    private static let interval = Duration.milliseconds(50)

    /// Sends a request and waits for the answer. A child that fails once is of no further use.
    ///
    /// The child ends a function by itself, but not everything: it is ended from here when it has used one and a half
    /// times its time and half a second, or when ten times of it and five seconds have passed, in which it may have
    /// slept.
    ///
    /// - Parameters:
    ///   - parts: what the frame consists of, one after the other.
    ///   - time: how much processor time it may use.
    func exchange(_ parts: [[UInt8]], within time: Duration) throws(ChildFailure) -> [UInt8] {
        let used = settee_js_processor_time(identifier)
        var watch = Watch(
            end: ContinuousClock.now + time * 10 + .seconds(5),
            processorEnd: used + UInt64(time.milliseconds) * 1_500_000 + 500_000_000
        )
        let length = UInt32(clamping: parts.reduce(0) { $0 + $1.count })
        try send((0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }, &watch)
        for part in parts { try send(part, &watch) }
        // The functions' outputs have lengths before them, and messages may be longer than a short output.
        return try receive(&watch, limit: outputLimit + 1 << 16)
    }

    private func send(_ bytes: [UInt8], _ watch: inout Watch) throws(ChildFailure) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[sent...])
                return unsafe settee_js_send(socket, rest.baseAddress, rest.count)
            }
            guard count >= 0 else { throw .crashed }
            sent += count
            if count == 0 { settee_js_wait(socket, true, 50) }
            try look(&watch)
        }
    }

    /// Receives the first frame of a child. On a busy machine that can take long.
    func receiveGreeting(within time: Duration) throws(ChildFailure) -> [UInt8] {
        var watch = Watch(end: .now + time, processorEnd: .max)
        return try receive(&watch, limit: 1 << 10)
    }

    /// Receives a frame. Memory is only taken for what has come.
    ///
    /// - Parameter limit: the most bytes it may have.
    private func receive(_ watch: inout Watch, limit: Int) throws(ChildFailure) -> [UInt8] {
        let head = try receive(4, &watch)
        let length = head.reversed().reduce(0) { $0 << 8 | Int($1) }
        guard length > 0, length <= limit else { throw .crashed }
        return try receive(length, &watch)
    }

    private func receive(_ count: Int, _ watch: inout Watch) throws(ChildFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        var filled = 0
        while filled < count {
            if filled == bytes.count {
                // As much again as has come.
                bytes.append(contentsOf: repeatElement(0, count: min(count - filled, max(filled, 1 << 16))))
            }
            let received = unsafe bytes.withUnsafeMutableBytes { bytes in
                let room = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[filled...])
                return unsafe settee_js_receive(socket, room.baseAddress, room.count)
            }
            guard received >= 0 else { throw .crashed }
            filled += received
            if received == 0 { settee_js_wait(socket, false, 50) }
            try look(&watch)
        }
        return bytes
    }

    private struct Watch {
        let end: ContinuousClock.Instant
        /// The processor time of the child at which it is ended.
        let processorEnd: UInt64
        var next = ContinuousClock.now + ChildProcess.interval
    }

    /// Checks the limits, if it is time for that.
    private func look(_ watch: inout Watch) throws(ChildFailure) {
        let now = ContinuousClock.now
        guard now >= watch.next else { return }
        watch.next = now + ChildProcess.interval
        guard settee_js_resident(identifier) <= UInt64(memoryLimit) else { throw .memoryLimit }
        guard now < watch.end, settee_js_processor_time(identifier) < watch.processorEnd else { throw .timeLimit }
    }
}
