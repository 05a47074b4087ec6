internal import SetteeDocumentValues
internal import SetteeTransfer
internal import StorageProtocol

/// Reads bodies with their attachments, and imports the attachments' contents.
final class BodyReader {
    private let source: OldDatabase
    private let builder: DatabaseBuilder
    private var parser = JSONParser()
    private let hasTable: Bool
    /// Contents that are not available, so that they are not looked up again.
    private var missing: [[UInt8]: OldContents.Fault] = [:]

    /// How often the whole table of attachments was read because its index is damaged.
    private var walks = 0
    private static let mostWalks = 200
    /// The decoded lengths of contents that are encoded with gzip.
    private var decoded: [[UInt8]: UInt64] = [:]

    init(_ source: OldDatabase, _ builder: DatabaseBuilder) {
        self.source = source
        self.builder = builder
        hasTable = source.schema.has("attachments", "sequence", "filename", "key")
    }

    /// Returns the body of a revision in the form to be stored.
    ///
    /// - Parameter note: receives what could not be kept.
    func body(of revision: OldRevision, note: (String) -> Void) throws(StorageError) -> BuiltBody {
        guard revision.hasBody else {
            // A missing body is only requested for a current revision.
            if !revision.isDeleted { note("the body of a current revision is missing; an empty one is in its place") }
            return BuiltBody(json: OldBody.empty, attachments: [])
        }
        let text: [UInt8]
        do throws(StorageError) {
            text = try json(of: revision.rowid)
        } catch {
            guard error.isDamage else { throw error }
            note("the body is damaged; an empty one is in its place")
            return BuiltBody(json: OldBody.empty, attachments: [])
        }
        let old = OldBody(text, with: &parser)
        old.problems.forEach(note)
        var stubs: [(String, JSONValue)] = []
        var digests: [[UInt8]] = []
        for (name, attachment) in try attachments(of: revision, old, note) {
            guard let built = try bring(attachment, revision.id.generation, note) else { continue }
            stubs.append((name, built.entry))
            digests.append(built.digest)
        }
        let json = try old.stored(with: JSONObject(stubs))
        guard json.count <= OldBody.maximumLength else {
            note("the body is longer than 32 MiB; an empty one is in its place")
            return BuiltBody(json: OldBody.empty, attachments: [])
        }
        return BuiltBody(json: json, attachments: digests)
    }

    /// - Throws: `corrupt` (591) if it cannot be read.
    private func json(of rowid: Int64) throws(StorageError) -> [UInt8] {
        var found: [UInt8]?
        // Avoids allocating a length that a damaged file claims.
        try source.connection.rows(
            "SELECT CASE WHEN typeof(json) = 'blob' AND length(json) > 67108864 THEN NULL ELSE json END "
                + "FROM revs NOT INDEXED WHERE rowid = ?1",
            rowid
        ) { (row) throws(StorageError) in
            found = row.bytes(0)
            return false
        }
        guard let found else { throw StorageError(.corrupt, "The body is no text.") }
        return found
    }

    // MARK: - Attachments

    private func attachments(
        of revision: OldRevision,
        _ body: OldBody,
        _ note: (String) -> Void
    ) throws(StorageError) -> [(String, OldAttachment)] {
        var found = body.attachments.map { (name: Optional($0.key), attachment: OldAttachment($0.value)) }
        if hasTable {
            let known = Set(body.attachments.keys.map { Array($0.utf8) })
            for row in try rows(of: revision, note) {
                if let name = row.name, known.contains(Array(name.utf8)) { continue }
                found.append(row)
            }
        }
        var usable: [(String, OldAttachment)] = []
        var names: Set<[UInt8]> = []
        for (name, attachment) in found {
            guard let name, !name.isEmpty, let attachment, names.insert(Array(name.utf8)).inserted else {
                note("the entry of an attachment is malformed, and was left out")
                continue
            }
            usable.append((name, attachment))
        }
        return usable
    }

    private func rows(
        of revision: OldRevision,
        _ note: (String) -> Void
    ) throws(StorageError) -> [(name: String?, attachment: OldAttachment?)] {
        for byIndex in [true, false] {
            // Reading the whole table for each revision of a large database would take forever.
            guard byIndex || walks < BodyReader.mostWalks else { break }
            do throws(StorageError) {
                let rows = try OldAttachment.rows(of: revision.rowid, source, byIndex: byIndex)
                if !byIndex { note(BodyReader.doubtful) }
                return rows
            } catch {
                guard error.isDamage else { throw error }
                if byIndex { walks += 1 }
            }
        }
        note(BodyReader.doubtful)
        return []
    }

    private static let doubtful = "the table of attachments is damaged, and some may be missing"

    /// Returns the entry of an attachment after importing its content; nil if that is not possible.
    private func bring(
        _ attachment: OldAttachment,
        _ generation: UInt64,
        _ note: (String) -> Void
    ) throws(StorageError) -> BuiltAttachment? {
        guard let content = try content(attachment, note) else { return nil }
        var revpos = attachment.revpos ?? 0
        if revpos > generation {
            note("an attachment was said to be newer than its revision; it is as old as that now")
        }
        if revpos == 0 || revpos > generation { revpos = generation }
        var built = BuiltAttachment(
            contentType: attachment.contentType,
            digest: attachment.digest,
            length: content.length,
            revpos: revpos,
            encodedLength: nil
        )
        if attachment.isGzip {
            if let decoded = try decodedLength(of: content, attachment) {
                built.length = decoded
                built.encodedLength = content.length
            } else {
                note("an attachment's content is not gzip of the length that was said; it is kept as it is")
            }
        }
        let isWrong = attachment.length.map { $0 != built.length } ?? false
        if isWrong || attachment.encodedLength.map({ $0 != built.encodedLength }) ?? false {
            note("an attachment's length was not that of its content; it was corrected")
        }
        return built
    }

    /// Returns the decoded length of a content encoded with gzip; no more than the length that the attachment states.
    private func decodedLength(
        of content: BuiltContent,
        _ attachment: OldAttachment
    ) throws(StorageError) -> UInt64? {
        if let known = decoded[attachment.digest] { return known }
        let length = try builder.decodedLength(of: content, upTo: attachment.length ?? .max)
        decoded[attachment.digest] = length
        return length
    }

    private func content(
        _ attachment: OldAttachment,
        _ note: (String) -> Void
    ) throws(StorageError) -> BuiltContent? {
        let digest = attachment.digest
        if let known = try builder.content(digest) { return known }
        var fault = missing[digest]
        if fault == nil {
            var brought: BuiltContent?
            fault = try source.contents.bring(digest) { (next) throws(StorageError) in
                brought = try builder.bring(digest, next)
                return brought != nil
            }
            if let brought { return brought }
            if let data = attachment.data {
                var rest: [UInt8]? = data
                let own = try builder.bring(digest) { () throws(StorageError) in
                    defer { rest = nil }
                    return rest
                }
                if let own { return own }
            }
            missing[digest] = fault ?? .missing
        }
        note("\((fault ?? .missing).rawValue), so the attachment was left out (\(BodyReader.name(of: digest)))")
        return nil
    }

    /// Returns the name of a content's file.
    private static func name(of digest: [UInt8]) -> String {
        let digits = Array("0123456789ABCDEF")
        return String(digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }) + ".blob"
    }
}
