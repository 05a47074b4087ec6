import Crypto
import Foundation
import Settee

extension DocumentModel {
    /// A content, and how a writer provides it.
    struct Content: Equatable {
        /// As it is stored.
        var stored: [UInt8]
        /// As readers get it.
        var plain: [UInt8]
        var isGzip = false

        var digest: String { "sha1-" + Data(Insecure.SHA1.hash(data: stored)).base64EncodedString() }
    }

    /// An attachment of a stored revision.
    struct Attachment: Equatable {
        var contentType: String?
        var content: Content
        var revpos: Int

        var stub: JSONValue { .object(entry(stub: true)) }

        fileprivate func entry(stub: Bool) -> JSONObject {
            var entry: JSONObject = ["length": JSONValue(content.plain.count), "revpos": JSONValue(revpos)]
            if stub { entry["stub"] = true }
            entry["digest"] = .string(content.digest)
            if let contentType { entry["content_type"] = .string(contentType) }
            if content.isGzip {
                entry["encoding"] = "gzip"
                entry["encoded_length"] = JSONValue(content.stored.count)
            }
            return entry
        }
    }

    /// A body to be saved: each entry of `_attachments` is either content or a stub.
    struct Draft {
        enum Entry {
            case data(Attachment)
            case stub(Attachment)
        }

        var properties: JSONObject
        var entries: [String: Entry] = [:]

        /// What the run's validation function refuses.
        var isRejected: Bool { properties["reject"] != nil }

        /// As it is written.
        var object: JSONObject {
            var object = properties
            guard !entries.isEmpty else { return object }
            let written = entries.map { name, entry -> (String, JSONValue) in
                switch entry {
                case .stub(let attachment): return (name, attachment.stub)
                case .data(let attachment):
                    var entry = attachment.entry(stub: false)
                    entry["data"] = .string(Data(attachment.content.stored).base64EncodedString())
                    return (name, .object(entry))
                }
            }
            object["_attachments"] = .object(JSONObject(written))
            return object
        }

        mutating func addStubs(of body: Body?) {
            for (name, attachment) in body?.attachments ?? [:] { entries[name] = .stub(attachment) }
        }
    }

    /// What the stored revision has; nil if a stub refers to a content that is not there.
    func admit(
        _ draft: Draft,
        _ id: DocumentID,
        parent: String?,
        _ generation: Int,
        isDeleted: Bool,
        isForeign: Bool
    ) -> [String: Attachment]? {
        let line = line(id, parent).compactMap { node(id, $0) == nil ? nil : $0 }
        var result: [String: Attachment] = [:]
        for (name, entry) in draft.entries {
            var attachment: Attachment
            switch entry {
            case .data(let given): attachment = given
            case .stub(let given):
                if isDeleted, !isForeign { continue }
                if !isForeign {
                    let inherited = line.lazy.compactMap { self.node(id, $0)?.body?.attachments[name] }
                        .first { $0.content.stored == given.content.stored }
                    if var inherited {
                        let before = line.first.flatMap { self.node(id, $0)?.body?.attachments[name] }
                        if before?.content.stored != inherited.content.stored { inherited.revpos = generation }
                        result[name] = inherited
                        continue
                    }
                }
                guard contents.contains(where: { $0.stored == given.content.stored }) else { return nil }
                attachment = given
            }
            if attachment.revpos == 0 || !isForeign { attachment.revpos = generation }
            result[name] = attachment
        }
        return result
    }

    /// What the kept bodies refer to.
    var contents: [Content] {
        var found: [String: Content] = [:]
        for nodes in documents.values {
            for node in nodes.values {
                for attachment in (node.body?.attachments ?? [:]).values {
                    found[attachment.content.digest] = attachment.content
                }
            }
        }
        return found.sorted { $0.key < $1.key }.map(\.value)
    }
}
