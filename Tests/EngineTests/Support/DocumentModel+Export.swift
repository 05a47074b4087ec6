import Crypto
import Foundation
import Settee
import SetteeTestSupport

/// The text of docs/reference/neutral-export.md, written from the model alone.
extension DocumentModel {
    /// - Parameters:
    ///   - identity: the info values that name the database, by key.
    ///   - uuid: that of the database's folder.
    ///   - definition: the stored view's, by the key of its info value.
    func export(
        identity: [(key: String, value: String)],
        uuid: String?,
        definition: (key: String, value: String)
    ) throws -> ExportText {
        var lines = [#"{"settee":"export","version":1}"#]
        var store: JSONObject = [
            "info": .object(JSONObject(identity.map { ($0.key, .string(DocumentModel.base64($0.value))) })),
            "lastSequence": JSONValue(sequence),
        ]
        store["uuid"] = uuid.map { .string($0) }
        try lines.append(DocumentModel.line("store", .object(store)))
        var values = info.map { (key: "app/\($0.key)", value: $0.value) }
        if let depth { values.append((key: "maxRevTreeDepth", value: String(depth))) }
        values.append(definition)
        for (key, value) in values.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            let value: JSONObject = ["key": .string(key), "value": .string(DocumentModel.base64(value))]
            try lines.append(DocumentModel.line("info", .object(value)))
        }
        for (id, local) in locals.sorted(by: { $0.key < $1.key }) {
            let value: JSONObject = ["id": .string(id.string), "rev": .string("\(local.generation)-local")]
            try lines.append(DocumentModel.line("local", .object(value)))
            lines.append(#"{"body":\#(local.json)}"#)
        }
        for id in documents.keys.sorted() { try append(id, to: &lines) }
        try appendContents(to: &lines)
        return try ExportText(lines).sealed()
    }

    private func append(_ id: DocumentID, to lines: inout [String]) throws {
        // Line after line: each leaf's path towards its root, as far as it is not listed yet.
        var order: [String] = []
        for leaf in leaves(id) { order += line(id, leaf).filter { !order.contains($0) } }
        let nodes = order.compactMap { node(id, $0) }
        let revisions = zip(order, nodes).map { revision, node -> JSONValue in
            var value: JSONObject = ["rev": .string(revision)]
            if node.body != nil { value["body"] = true }
            if node.isDeleted { value["deleted"] = true }
            if let place = order.firstIndex(where: { $0 == node.parent }) { value["parent"] = JSONValue(place) }
            return .object(value)
        }
        var document: JSONObject = ["id": .string(id.string), "revisions": .array(revisions)]
        if let time = expirations[id] { document["expires"] = .int(time) }
        try lines.append(DocumentModel.line("document", .object(document)))
        let flags = nodes.map { ($0.sequence == 0 ? 0 : 2) + ($0.hadAttachments ? 4 : 0) }
        let store: JSONObject = [
            "flags": .array(flags.map { JSONValue($0) }),
            "sequences": .array(nodes.map { JSONValue($0.sequence) }),
        ]
        try lines.append(DocumentModel.line("store", .object(store)))
        for node in nodes { if let body = node.body { lines.append(#"{"body":\#(body.json)}"#) } }
    }

    private func appendContents(to lines: inout [String]) throws {
        let digests = contents.map { (Array(Insecure.SHA1.hash(data: $0.stored)), $0.stored) }
        for (digest, stored) in digests.sorted(by: { $0.0.lexicographicallyPrecedes($1.0) }) {
            let hex = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            let value: JSONObject = ["length": JSONValue(stored.count), "sha1": .string(hex)]
            try lines.append(DocumentModel.line("blob", .object(value)))
            for start in stride(from: 0, to: stored.count, by: 262_144) {
                let chunk = Data(stored[start..<min(stored.count, start + 262_144)]).base64EncodedString()
                lines.append(#"{"chunk":"\#(chunk)"}"#)
            }
        }
    }

    private static func line(_ kind: String, _ value: JSONValue) throws -> String {
        String(decoding: try JSONObject([(kind, value)]).canonicalBytes(), as: UTF8.self)
    }

    private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
}
