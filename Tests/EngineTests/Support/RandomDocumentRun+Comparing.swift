import Foundation
import Settee
import SetteeTestSupport
import Testing

@testable import SetteeEngine

/// What can be read, compared with the model.
extension RandomDocumentRun {
    /// Documents and changes.
    mutating func compareListing() throws {
        let rows = try database.allDocuments(.init(includeDeleted: true, includeBodies: true)).rows()
        let listing = rows.map {
            "\($0.documentID.string) \($0.revisionID.string) \($0.isDeleted) \($0.isConflicted) \($0.text ?? "")"
        }
        try requireSame(listing, model.listing, "the listing")
        listing.forEach { read($0) }
        let counts = try (database.documentCount, database.lastSequence)
        try require(counts == (model.liveCount, model.sequence), "counts are \(counts)")
        let changes = try database.changes(since: 0, includeDocs: true).rows()
        try require(changes.map(\.sequence) == rows.map(\.sequence).sorted(), "the order of changes")
        for row in changes {
            read("\(row.sequence) \(row.documentID.string) \(row.revisionID.string) \(row.text ?? "")")
        }
    }

    /// Everything.
    mutating func compare() throws {
        try compareListing()
        let database = database
        let model = model
        try database.read { _ in
            for id in ids { try compareDocument(id, database[id.string], model) }
        }
        let conflicts = try database.allDocuments(.init(onlyConflicts: true)).rows().map(\.documentID)
        try require(conflicts == ids.sorted().filter { model.liveLeaves($0).count > 1 }, "conflicts are \(conflicts)")
        let locals = try database.localDocuments().map { "\($0.documentID) \($0.id.string) \($0.text)" }
        let expected = model.locals.sorted { $0.key < $1.key }.map {
            "\($0.key) \($0.value.generation)-local \($0.value.json)"
        }
        try requireSame(locals, expected, "local documents")
        let info = try database.info.all().map { "\($0.key): \($0.value)" }
        let values = model.info.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        try requireSame(info, values.map { "\($0.key): \($0.value)" }, "info values")
        let next = try database.nextExpiry.map { Int64(($0.timeIntervalSince1970 * 1000).rounded()) }
        try require(next == model.expirations.values.min(), "the next expiry is \(String(describing: next))")
        try require(try database.maxRevTreeDepth == model.depth ?? 20, "the depth")
        try check()
    }

    private func compareDocument(_ id: DocumentID, _ document: Document, _ model: DocumentModel) throws {
        try require(try document.leafRevisions().map(\.id.string) == model.leaves(id), "leaves of \(id)")
        let conflicting = try document.conflictingRevisions().map(\.id.string)
        try require(conflicting == model.liveLeaves(id), "live leaves of \(id)")
        try require(try document.isConflicted == (conflicting.count > 1), "\(id) in conflict")
        let expiration = try document.expiration.map { Int64(($0.timeIntervalSince1970 * 1000).rounded()) }
        try require(expiration == model.expirations[id], "\(id) expires at \(String(describing: expiration))")
        for (revision, node) in model.documents[id] ?? [:] {
            let what = "revision \(revision) of \(id)"
            let found = try document.revision(RevisionID(revision))
            try require(found?.text == node.body?.json, "\(what) is \(found?.text ?? "not there")")
            guard let found, let body = node.body else { continue }
            try require(
                found.isDeleted == node.isDeleted && found.sequence == node.sequence,
                "\(what): deleted \(found.isDeleted), sequence \(found.sequence), "
                    + "not \(node.isDeleted), \(node.sequence)"
            )
            let history = try found.history().map { "\($0.id.string) \($0.status)" }
            try requireSame(
                history,
                model.line(id, revision).map { status($0, of: id, model) },
                "the history of \(what)"
            )
            try require(
                try found.parent()?.text == node.parent.flatMap { model.node(id, $0)?.body?.json },
                "parent of \(what)"
            )
            let attachments = try found.attachments
            try require(attachments.map(\.name).sorted() == body.attachments.keys.sorted(), "attachments of \(what)")
            for attachment in attachments {
                let expected = body.attachments[attachment.name]
                try require(
                    try attachment.contentType == expected?.contentType
                        && attachment.digest == expected?.content.digest
                        && attachment.content() == expected?.content.plain
                        && attachment.encodedContent() == expected?.content.stored,
                    "attachment \(attachment.name) of \(what)"
                )
            }
        }
    }

    private func status(_ revision: String, of id: DocumentID, _ model: DocumentModel) -> String {
        let node = model.node(id, revision)
        let status = node?.isDeleted == true ? "deleted" : node?.body == nil ? "missing" : "available"
        return "\(revision) \(status)"
    }

    /// The database's export is the text that the model writes, and can be imported into a database of any other type.
    mutating func compareExport() throws {
        var identity = [
            (key: "publicUUID", value: try database.publicUUID), (key: "privateUUID", value: try database.privateUUID),
        ]
        if let previous = try database.previousPrivateUUID {
            identity.append((key: "previousPrivateUUID", value: previous))
        }
        let text = try ExportText(database)
        let expected = try model.export(
            identity: identity,
            uuid: database.statistics().uuid,
            definition: definition
        )
        try requireSame(text.lines, expected.lines, "the export")
        let digest = try database.contentDigest()
        try require(text.end("digest") == .string(digest), "the digest \(digest)")
        read(digest)
        for type in Storage.all where type != bed.type {
            let other = try TestDatabase(type)
            try text.importer(in: other.folder.url).run(into: other.database)
            try require(try other.database.contentDigest() == digest, "the digest of the import")
            try requireSame(
                try ExportText(other.database).withoutIdentity,
                text.withoutIdentity,
                "the export of the import"
            )
            try compareDefinition(other.database)
            try requireSame(try other.database.check().map(\.description), [], "check of the import")
            try other.manager.close()
        }
    }
}
