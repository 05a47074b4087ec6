internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// The documents of one direction that were not passed on, as the database keeps them beside the checkpoint:
/// `_local/ID-failed`. A checkpoint goes past them, so that no later run would come by them.
struct KeptFailures: Sendable {
    private let database: LocalPeer
    private let names: CheckpointNames
    private let direction: ReplicatedDocument.Direction

    /// The longest list in bytes, about.
    private static let mostBytes = 1 << 20

    init(_ database: LocalPeer, _ names: CheckpointNames, _ direction: ReplicatedDocument.Direction) {
        self.database = database
        self.names = names
        self.direction = direction
    }

    /// What is kept, the oldest failure first. That of the database which this one is a copy of counts until this one
    /// has its own.
    func load() async throws -> [FailedDocuments.Failure] {
        try await database.read { database in try list(in: database) }
    }

    /// Writes what has changed since the last call. Does nothing in a database that is read-only.
    func save(_ failures: FailedDocuments) async throws {
        let changes = failures.takeChanges(direction)
        guard !changes.isEmpty, !database.database.isReadOnly else { return }
        do {
            try await database.write { database in
                try database.inTransaction { try apply(changes, in: database) }
            }
        } catch {
            failures.putBack(changes, direction)
            throw error
        }
    }

    private func apply(_ changes: [[UInt8]: FailedDocuments.Change], in database: Database) throws {
        let before = try list(in: database)
        var after: [FailedDocuments.Failure] = []
        var known: Set<[UInt8]> = []
        for failure in before {
            let id = Array(failure.event.documentID.utf8)
            known.insert(id)
            switch changes[id] {
            case .failed(let new, _): after.append(new)
            case .passedOn: break
            case nil: after.append(failure)
            }
        }
        let new = changes.compactMap { id, change in
            if case .failed(let failure, let number) = change, !known.contains(id) { (failure, number) } else { nil }
        }
        after += new.sorted { $0.1 < $1.1 }.map(\.0)
        guard !before.isEmpty || !after.isEmpty else { return }
        let id = try DocumentID(path(names.id))
        let body = try DocumentBody(["failures": .array(KeptFailures.newest(of: after)), "version": 1])
        _ = try database.putLocal(id, body, parent: try database[id].revision()?.id)
    }

    private func list(in database: Database) throws -> [FailedDocuments.Failure] {
        for id in names.all {
            guard let found = try database[path(id)].revision() else { continue }
            let entries = (try? found.properties)?["failures"]?.arrayValue ?? []
            return entries.suffix(FailedDocuments.most).compactMap { FailedDocuments.Failure($0, direction) }
        }
        return []
    }

    private func path(_ id: String) -> String { "_local/\(id)-failed" }

    /// As many as are kept, in their order.
    private static func newest(of failures: [FailedDocuments.Failure]) -> [JSONValue] {
        var kept: [JSONValue] = []
        var bytes = 0
        for failure in failures.suffix(FailedDocuments.most).reversed() {
            let json = failure.json
            bytes += json.description.utf8.count + 1
            guard bytes <= mostBytes else { break }
            kept.append(json)
        }
        return kept.reversed()
    }
}

extension FailedDocuments.Failure {
    private static let mostLeaves = 20

    /// Without the message, which may quote the document.
    fileprivate var json: JSONValue {
        var members: JSONObject = [
            "id": .string(event.documentID), "revs": JSONValue.list(leaves.prefix(Self.mostLeaves)),
            "error": .string((event.error?.code ?? .badDocument).rawValue),
        ]
        if let status = event.error?.status, status != 0 { members["status"] = JSONValue(status) }
        if event.flags.contains(.deleted) { members["deleted"] = true }
        return .object(members)
    }

    fileprivate init?(_ value: JSONValue, _ direction: ReplicatedDocument.Direction) {
        guard let members = value.objectValue, let id = members["id"]?.stringValue,
            let leaves = members["revs"]?.strings
        else { return nil }
        let error = ReplicationError(
            members["error"]?.stringValue.flatMap { ReplicationError.Code(rawValue: $0) } ?? .badDocument,
            status: members["status"]?.intValue.flatMap { Int(exactly: $0) } ?? 0,
            "It failed in an earlier run."
        )
        let flags: ReplicatedDocument.Flags = members["deleted"]?.boolValue == true ? .deleted : []
        event = ReplicatedDocument(documentID: id, direction: direction, error: error, flags: flags)
        self.leaves = Array(leaves.prefix(Self.mostLeaves))
    }
}
