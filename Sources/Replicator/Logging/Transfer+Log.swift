internal import SetteeEngine
internal import StorageProtocol

extension Transfer {
    /// As `push from orders to https://example.com/orders`.
    var name: String { "\(plan.direction.rawValue) from \(source.name) to \(target.name)" }

    func log(_ level: LogLevel, in domain: LogDomain = .sync, _ message: @autoclosure () -> String) {
        Log.log(level, domain, "\(name): \(message())")
    }

    /// Tells what a run has done.
    func logEnd(_ outcome: Result<Void, any Error>, after time: Duration) {
        let figures = state.withLock { $0.figures }
        var end = "has ended"
        if case .failure(let error) = outcome { end += " (\(ReplicationError.logged(error)))" }
        log(
            .info,
            """
            \(end) after \(time.logged): revisions compared \(figures.checked), lacking \(figures.lacking), \
            read \(figures.read), written \(figures.written), failed \(figures.failures)
            """
        )
    }

    func logRefusal(of document: String, _ error: ReplicationError) {
        let tag = (try? DocumentID(document)).map { Log.tag($0) } ?? "a document"
        log(.info, "\(tag) was not passed on: \(error.logged)")
    }
}
