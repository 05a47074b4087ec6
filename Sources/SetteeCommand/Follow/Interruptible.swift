internal import ArgumentParser
internal import Settee
internal import SetteeEngine
internal import StorageProtocol

/// Work that SIGINT, SIGTERM and SIGHUP cancel, so that it removes what it has half made.
enum Interruptible {
    /// Runs `body` on this thread.
    ///
    /// - Throws: What `body` throws. If a signal cancelled it, the exit status that a shell expects, 128 and the
    ///   signal's number, after a message.
    static func run<R>(_ command: some DatabaseCommand, _ body: () throws -> R) throws -> R {
        let gate = TaskGate(until: .never)
        let signal = Locked<Int32?>(nil)
        let interrupts = Interrupts { number in
            signal.withLock { $0 = number }
            gate.cancel()
        }
        defer { interrupts.restore() }
        do {
            return try gate.run(body)
        } catch let error as StorageError where error.code == .cancelled {
            guard let number = signal.withLock({ $0 }) else { throw error }
            let message = "Interrupted. Nothing was changed, and nothing half made is left."
            Failure.report(StorageError(.cancelled, message), asJSON: command.output.json)
            throw ExitCode(128 + number)
        }
    }
}
