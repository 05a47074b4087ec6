internal import SetteeDocumentValues
internal import SetteeTransfer
internal import StorageProtocol

/// Imports everything that is not a document: local documents, info values, the states of replications, the names of
/// views.
struct SmallThings {
    private let source: OldDatabase
    private let builder: DatabaseBuilder

    init(_ source: OldDatabase, _ builder: DatabaseBuilder) {
        self.source = source
        self.builder = builder
    }

    func run(_ report: inout CouchbaseLiteReport) throws(StorageError) {
        let schema = source.schema
        let lost = [
            ("localdocs", schema.hasLost("localdocs", "docid", "revid", "json")),
            ("info", schema.hasLost("info", "key", "value")), ("views", schema.hasLost("views", "name")),
            ("replicators", schema.hasLost("replicators", "remote", "push", "last_sequence")),
            ("attachments", schema.hasLost("attachments", "sequence", "filename", "key")),
        ]
        for (table, isLost) in lost where isLost { note([LostRows.text(table, 1...Int64.max)], &report) }
        try bringLocalDocuments(&report)
        try bringInfo(&report)
        try bringReplications(&report)
        if source.schema.has("views", "name") {
            var names: [String] = []
            let lost = try scan("views", "name") { (row) throws(StorageError) in
                if let name = row.text(1) { names.append(name) }
            }
            report.views = names.sorted()
            note(lost, &report)
        }
    }

    private func scan(
        _ table: String,
        _ columns: String,
        _ body: (SourceRow) throws(StorageError) -> Void
    ) throws(StorageError) -> [String] {
        var scan = TableScan(source.connection, table: table, columns: columns)
        try scan.run { (_, row) throws(StorageError) in try body(row) }
        return scan.problems
    }

    private func note(_ problems: [String], _ report: inout CouchbaseLiteReport) {
        for problem in problems {
            report.add(CouchbaseLiteProblem(document: nil, revision: nil, reason: problem))
        }
    }

    // MARK: - Local documents

    private static let prefix = "_local/"

    private func bringLocalDocuments(_ report: inout CouchbaseLiteReport) throws(StorageError) {
        guard source.schema.has("localdocs", "docid", "revid", "json") else { return }
        var parser = JSONParser()
        var found = report
        let lost = try scan("localdocs", "docid, revid, json") { (row) throws(StorageError) in
            let name = row.text(1)
            func fail(_ reason: String) {
                found.failed += 1
                found.add(CouchbaseLiteProblem(document: name, revision: nil, reason: "\(reason); it was left out"))
            }
            guard let name else { return fail("a local document has no ID") }
            let full = name.utf8.starts(with: SmallThings.prefix.utf8) ? name : SmallThings.prefix + name
            guard let id = try? DocumentID(full), id.isLocal else { return fail("Settee does not allow its ID") }
            guard let text = row.bytes(2), let revision = try? unsafe RevisionID(text: text.span.bytes) else {
                return fail("Settee does not allow its revision's ID")
            }
            guard try !builder.hasLocal(id) else { return fail("there are two local documents of this ID") }
            let body = OldBody(row.bytes(3) ?? [], with: &parser)
            var problems = body.problems
            if !body.attachments.isEmpty { problems.append("local documents have no attachments; they were left out") }
            for problem in problems {
                found.add(CouchbaseLiteProblem(document: full, revision: revision.string, reason: problem))
            }
            try builder.addLocal(id, revision: revision, json: body.stored(with: JSONObject()))
            found.localDocuments += 1
        }
        report = found
        note(lost, &report)
    }

    // MARK: - Values

    private func bringInfo(_ report: inout CouchbaseLiteReport) throws(StorageError) {
        guard source.schema.has("info", "key", "value") else { return }
        var found = report
        var uuids: [String: String] = [:]
        let lost = try scan("info", "key, value") { (row) throws(StorageError) in
            guard let key = row.text(1), let value = row.text(2) ?? row.integer(2).map(String.init) else {
                found.add(
                    CouchbaseLiteProblem(
                        document: nil,
                        revision: nil,
                        reason: "an info value is malformed, and was left out"
                    )
                )
                return
            }
            switch key {
            case "publicUUID" where SmallThings.isUUID(value), "privateUUID" where SmallThings.isUUID(value):
                uuids[key] = value
            case "max_revs" where Int(value).map({ $0 > 0 }) == true:
                try builder.setRevisionTreeDepth(Int(value) ?? 0)
            default:
                do throws(StorageError) {
                    try builder.setInfo(value, for: key)
                } catch {
                    guard error.code == .badParameter || error.code == .tooLarge else { throw error }
                    found.add(
                        CouchbaseLiteProblem(
                            document: nil,
                            revision: nil,
                            reason:
                                "an info value is too long, or has a key that Settee does not allow, and was left out"
                        )
                    )
                    return
                }
            }
            found.infoValues += 1
        }
        try builder.setUUIDs(public: uuids["publicUUID"], private: uuids["privateUUID"])
        report = found
        note(lost, &report)
    }

    /// Returns whether the text may be a UUID, or the form of later releases: `-` and 22 characters of URL-safe Base64.
    /// Checks only the length and the kind of characters.
    private static func isUUID(_ text: String) -> Bool {
        16...64 ~= text.utf8.count
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            }
    }

    /// Imports the progress of replications. 1.0 had a table for it; later releases have info values.
    private func bringReplications(_ report: inout CouchbaseLiteReport) throws(StorageError) {
        guard source.schema.has("replicators", "remote", "push", "last_sequence") else { return }
        var found = report
        let lost = try scan("replicators", "remote, push, last_sequence") { (row) throws(StorageError) in
            guard let remote = row.text(1), let last = row.text(3) ?? row.integer(3).map(String.init) else { return }
            do throws(StorageError) {
                try builder.setInfo(last, for: "replicator/\(row.flag(2) ? "push" : "pull")/\(remote)")
                found.infoValues += 1
            } catch {
                guard error.code == .badParameter || error.code == .tooLarge else { throw error }
                found.add(
                    CouchbaseLiteProblem(
                        document: nil,
                        revision: nil,
                        reason: "the state of a replication is too long, and was left out"
                    )
                )
            }
        }
        report = found
        note(lost, &report)
    }
}
