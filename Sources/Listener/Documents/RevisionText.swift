internal import Foundation
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// A revision as clients read it: the stored text, with `_id`, `_rev` and more before its first member. Stored bodies
/// are canonical JSON, so that nothing is parsed unless there are attachments.
struct RevisionText {
    var id: DocumentID
    var revision: RevisionID
    var isDeleted = false
    var hasAttachments = false
    /// `_revisions`: the revision and its ancestors, newest first.
    var history: [RevisionID]?
    /// `_revs_info`: the same with what is known of each.
    var historyInfo: [RevisionInfo]?
    /// `_conflicts`, left out if there are none.
    var conflicts: [RevisionID] = []
    /// `_deleted_conflicts`, left out if there are none.
    var deletedConflicts: [RevisionID] = []
    /// `_local_seq`.
    var sequence: UInt64?
    /// `_exp`, left out if the document does not expire.
    var expiration: Date?
    /// Where the text has the IDs of document and revision already, quotes included; nil: it does not.
    var places: (id: Range<Int>, revision: Range<Int>)?

    /// Adds the revision.
    ///
    /// - Parameters:
    ///   - json: The stored text.
    ///   - attachments: What becomes of `_attachments`.
    func append(_ json: RawSpan, _ attachments: AttachmentMembers, to text: inout JSONAnswerText) throws {
        text.raw(#"{"_id":"#)
        if let places { text.again(places.id) } else { text.string(id.string) }
        text.raw(#","_rev":"#)
        if let places {
            text.again(places.revision)
        } else if id.isLocal {
            text.string(revision.localWireText)
        } else {
            text.string(revision.string)
        }
        if isDeleted { text.raw(#","_deleted":true"#) }
        appendMetadata(to: &text)
        if hasAttachments {
            let members = try appendAttachments(of: json, attachments, to: &text)
            appendMembers(of: unsafe members.span.bytes, to: &text)
        } else {
            appendMembers(of: json, to: &text)
        }
    }

    /// Adds `_attachments`, and returns the text of the other members.
    private func appendAttachments(
        of json: RawSpan,
        _ attachments: AttachmentMembers,
        to text: inout JSONAnswerText
    ) throws -> [UInt8] {
        guard var object = try? JSONValue(parsing: json).objectValue else {
            throw StorageError.corrupt("The body of a revision is damaged")
        }
        if let stubs = object["_attachments"]?.objectValue {
            text.raw(#","_attachments":"#)
            text.value(.object(try attachments.members(of: stubs)))
            object["_attachments"] = nil
        }
        return try object.canonicalBytes()
    }

    /// Adds what stands between the brackets of an object, and its end.
    private func appendMembers(of json: RawSpan, to text: inout JSONAnswerText) {
        guard json.byteCount > 2 else { return text.raw("}") }
        text.raw(",")
        text.raw(json.extracting(1..<json.byteCount))
    }

    private func appendMetadata(to text: inout JSONAnswerText) {
        if let history, let first = history.first {
            text.raw(#","_revisions":{"start":"#)
            text.number(id.isLocal ? 0 : first.generation)
            text.raw(#","ids":["#)
            for (place, revision) in history.enumerated() {
                if place > 0 { text.raw(",") }
                text.string(id.isLocal ? String(revision.generation) : revision.suffix)
            }
            text.raw("]}")
        }
        if let historyInfo {
            text.raw(#","_revs_info":["#)
            for (place, info) in historyInfo.enumerated() {
                if place > 0 { text.raw(",") }
                text.raw(#"{"rev":"#)
                text.string(info.id.string)
                text.raw(#","status":"#)
                text.string(info.status.rawValue)
                text.raw("}")
            }
            text.raw("]")
        }
        append(#","_conflicts":"#, conflicts, to: &text)
        append(#","_deleted_conflicts":"#, deletedConflicts, to: &text)
        if let sequence {
            text.raw(#","_local_seq":"#)
            text.number(sequence)
        }
        if let expiration {
            text.raw(#","_exp":"#)
            text.string(ISO8601.text(of: expiration) ?? "")
        }
    }

    private func append(_ name: StaticString, _ revisions: [RevisionID], to text: inout JSONAnswerText) {
        guard !revisions.isEmpty else { return }
        text.raw(name)
        text.list(revisions)
    }
}
