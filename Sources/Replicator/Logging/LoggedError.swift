internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

extension PeerError {
    /// What is logged about it. The message of a server's answer is left out, because it may name a document.
    var logged: String { status == 0 ? "\(kind): \(message)" : "\(status) \(kind)" }
}

extension ReplicationError {
    /// As that of `PeerError`.
    var logged: String { status == 0 ? description : "\(status) \(code.rawValue)" }

    /// What logs tell of any error.
    static func logged(_ error: any Error) -> String {
        if error is CancellationError { return "it was stopped" }
        return (error as? PeerError)?.logged ?? ReplicationError(error).logged
    }
}

extension Duration {
    /// Whole milliseconds.
    var logged: String {
        let (seconds, attoseconds) = components
        return "\(seconds &* 1_000 &+ attoseconds / 1_000_000_000_000_000) ms"
    }
}

extension JSONValue? {
    /// A sequence. Those of other servers may be any JSON, and are not told.
    var loggedSequence: String {
        guard let self else { return "from the first change on" }
        return self.intValue.map { "after sequence \($0)" } ?? "after a sequence"
    }
}
