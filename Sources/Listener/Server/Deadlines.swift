internal import NIOCore

/// Until when a connection waits for what. Each kind is set and cleared on its own; the earliest counts.
struct Deadlines {
    enum Kind {
        /// For a handshake, a head, the next request, or the end of a connection that is being closed.
        case phase
        /// For a body that comes too slowly.
        case body
        /// For a client that does not read.
        case write
    }

    var phase: NIODeadline?
    var body: NIODeadline?
    var write: NIODeadline?

    var earliest: NIODeadline? {
        [phase, body, write].reduce(nil as NIODeadline?) { result, deadline in
            guard let result, let deadline else { return result ?? deadline }
            return min(result, deadline)
        }
    }

    /// A kind whose time has come. Clears it.
    mutating func takeExpired(at now: NIODeadline) -> Kind? {
        if let write, write <= now {
            self.write = nil
            return .write
        }
        if let body, body <= now {
            self.body = nil
            return .body
        }
        if let phase, phase <= now {
            self.phase = nil
            return .phase
        }
        return nil
    }
}
