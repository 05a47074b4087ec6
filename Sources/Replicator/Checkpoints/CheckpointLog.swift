internal import SetteeDocumentValues

/// The body of a checkpoint: a log of sessions as CouchDB writes it. A session stands for one write of the checkpoint,
/// so that whoever has it was told of everything up to its sequence.
struct CheckpointLog: Sendable, Equatable {
    struct Session: Sendable, Equatable {
        var id: String
        var sequence: JSONValue
        /// One more than that of the session before.
        var number: Int64
        var entry: JSONObject

        init(_ id: String, _ sequence: JSONValue, number: Int64, _ entry: JSONObject) {
            self.id = id
            self.sequence = sequence
            self.number = number
            self.entry = entry
        }

        fileprivate init?(_ value: JSONValue) {
            guard let entry = value.objectValue, let id = entry["session_id"]?.stringValue,
                let sequence = entry["recorded_seq"]
            else { return nil }
            self.init(id, sequence, number: entry["number"]?.intValue ?? 0, entry)
        }

        fileprivate var json: JSONValue {
            var entry = entry
            entry["session_id"] = .string(id)
            entry["recorded_seq"] = sequence
            entry["end_last_seq"] = sequence
            entry["number"] = JSONValue(number)
            return .object(entry)
        }
    }

    /// Newest first.
    private(set) var history: [Session]
    /// Which other side takes no checkpoints; nil if both do.
    var oneSided: String?

    private static let mostSessions = 50
    /// So many of the newest stay in any case.
    private static let newest = 16

    init(history: [Session] = []) { self.history = history }

    /// Reads the body of a checkpoint. Nil if it is no log.
    init?(_ body: JSONObject) {
        guard let entries = body["history"]?.arrayValue else { return nil }
        // Others limit their logs as well; a longer one is not ours.
        history = entries.prefix(CheckpointLog.mostSessions * 2).compactMap { Session($0) }
        oneSided = body["one_sided"]?.stringValue
        guard !history.isEmpty else { return nil }
    }

    /// The sequence of the newest session.
    var sequence: JSONValue? { history.first?.sequence }

    var body: JSONObject {
        var body: JSONObject = ["replication_id_version": 1]
        body["history"] = .array(history.map(\.json))
        if let newest = history.first {
            body["session_id"] = .string(newest.id)
            body["source_last_seq"] = newest.sequence
        }
        if let oneSided { body["one_sided"] = .string(oneSided) }
        return body
    }

    func contains(_ session: String) -> Bool { history.contains { $0.id == session } }

    /// The log from the newest session on that another log has as well; nil if there is none.
    func common(with other: CheckpointLog) -> CheckpointLog? {
        var others: [String: JSONValue] = [:]
        for session in other.history { others[session.id] = session.sequence }
        guard let first = history.firstIndex(where: { others[$0.id] == $0.sequence }) else { return nil }
        return CheckpointLog(history: Array(history[first...]))
    }

    /// Adds a session.
    mutating func add(_ id: String, at sequence: JSONValue, _ entry: JSONObject) {
        let number = (history.first?.number ?? 0) &+ 1
        history.insert(Session(id, sequence, number: number, entry), at: 0)
        if history.count > CheckpointLog.mostSessions { thin() }
    }

    /// Removes the session whose neighbours are closest to each other in relation to their age, so that old sessions
    /// stay, with gaps that grow.
    private mutating func thin() {
        let newest = history[0].number
        var best: (place: Int, closeness: Double)?
        for place in CheckpointLog.newest..<(history.count - 1) {
            let gap = Double(history[place - 1].number) - Double(history[place + 1].number)
            let age = Double(newest) - Double(history[place].number)
            let closeness = gap / max(age, 1)
            if best.map({ closeness < $0.closeness }) ?? true { best = (place, closeness) }
        }
        if let best { history.remove(at: best.place) }
    }
}
