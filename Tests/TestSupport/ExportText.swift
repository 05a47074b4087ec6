internal import Crypto
package import Foundation
package import Settee
internal import Testing

/// The text of an export, and what tests do with it.
package struct ExportText {
    package var lines: [String]

    package init(_ lines: [String]) { self.lines = lines }

    package init(_ database: Database) throws {
        var text: [UInt8] = []
        try database.exportAll { text += $0 }
        let all = text.split(separator: 0x0A, omittingEmptySubsequences: false)
        #expect(all.last?.isEmpty == true)
        lines = all.dropLast().map { String(decoding: $0, as: UTF8.self) }
    }

    package var bytes: [UInt8] { Array((lines.joined(separator: "\n") + "\n").utf8) }

    /// The lines that are content.
    package var content: [String] { lines.filter { !$0.hasPrefix(#"{"store":"#) && !$0.hasPrefix(#"{"end":"#) } }

    /// The lines without those of the database's own UUIDs, and without the digest of the store's lines.
    package var withoutIdentity: [String] {
        lines.filter { !$0.hasPrefix(#"{"store":{"info""#) && !$0.hasPrefix(#"{"end":"#) }
    }

    /// The member `name` of the last line.
    package func end(_ name: String) throws -> JSONValue? {
        try JSONValue(parsing: try #require(lines.last))["end"]?[name]
    }

    /// The same with counts and digests that match the lines, whatever these are.
    package func sealed() throws -> ExportText {
        var end = JSONObject()
        func count(_ kind: String) -> JSONValue { .init(lines.count { $0.hasPrefix(#"{"\#(kind)":"#) }) }
        end["blobs"] = count("blob")
        end["documents"] = count("document")
        end["info"] = count("info")
        end["locals"] = count("local")
        var revisions = 0
        for line in lines where line.hasPrefix(#"{"document":"#) {
            revisions += (try? JSONValue(parsing: line))?["document"]?["revisions"]?.arrayValue?.count ?? 0
        }
        end["revisions"] = .init(revisions)
        end["digest"] = .string(ExportText.digest(of: content))
        end["store"] = .string(ExportText.digest(of: lines.filter { $0.hasPrefix(#"{"store":"#) }))
        let kept = lines.filter { !$0.hasPrefix(#"{"end":"#) }
        let last = try JSONValue.object(["end": .object(end)]).canonicalBytes()
        return ExportText(kept + [String(decoding: last, as: UTF8.self)])
    }

    /// An importer of this text, or the error that it is refused with.
    package func importer(in folder: URL) throws -> DatabaseImporter { try ExportText.importer(of: bytes, in: folder) }

    package static func importer(of bytes: [UInt8], in folder: URL) throws -> DatabaseImporter {
        var pieces = stride(from: 0, to: bytes.count, by: 1000).map { Array(bytes[$0..<min(bytes.count, $0 + 1000)]) }
        pieces.reverse()
        return try DatabaseImporter(spoolingIn: folder) { () throws(StorageError) in pieces.popLast() }
    }
}

extension ExportText {
    /// The SHA-256 of lines, in lower-case hexadecimal digits.
    package static func digest(of lines: [String]) -> String {
        SHA256.hash(data: Data(lines.map { $0 + "\n" }.joined().utf8)).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}

/// A database with every kind of content that needs only the engine's plain calls.
package enum ExportSample {
    package static func rev(_ text: String) throws -> RevisionID { try RevisionID(text) }

    package static func insert(
        _ database: Database,
        _ id: String,
        _ history: [String],
        _ json: String,
        deleted: Bool = false
    ) throws {
        let ids = try history.map { try RevisionID($0) }
        #expect(try database.forceInsert(DocumentID(id), history: ids, json: bytes(json), isDeleted: deleted))
    }

    /// Everything, in an order that `isReversed` reverses where it is not part of the content.
    package static func fill(_ bed: TestDatabase, isReversed: Bool = false) throws {
        let database = bed.database
        var steps: [() throws -> Void] = [
            {
                try database["plain"].put(
                    json: #"{"title":"Little, Big","n":[0,1e-7,1e+21,18446744073709551615,5e-324]}"#
                )
            },
            { try database["é"].put(json: #"{"composed":true}"#) },
            { try database["e\u{301}"].put(json: #"{"composed":false,"text":"\u0001 \" \\ \ud83d\ude00 \u2028"}"#) },
            { try database[String(repeating: "k", count: 65_536)].put(json: "{}") },
            { try database["quote\" \\ \u{1} \u{7f} \u{2028}"].put(json: #"{"":{"":[]},"\ufb33":4,"😀":5}"#) },
            {
                // Old bodies, and a parent that is one.
                for number in 0..<4 { _ = try database["updated"].update { $0["number"] = .init(number) } }
            },
            {
                let saved = try database["gone"].put(json: #"{"a":1}"#)
                try database["gone"].put(json: #"{"_deleted":true,"why":"tidying"}"#, parent: saved.id)
            },
            {
                // A conflict, a losing tombstone, and a branch that joins at its root.
                try insert(database, "conflict", ["2-b", "1-a"], #"{"b":1}"#)
                try insert(database, "conflict", ["2-c", "1-a"], #"{"c":1}"#)
                try insert(database, "conflict", ["3-d", "2-c"], "{}", deleted: true)
                try insert(database, "conflict", ["4-x.é", "3-y", "2-Z"], #"{"x":1}"#)
            },
            { try insert(database, "foreign", ["4611686018427387904-" + String(repeating: "ü", count: 117)], "{}") },
            { try insert(database, "_design/d", ["1-\"\\"], #"{"views":{}}"#) },
            {
                // Shared, empty and encoded contents, one of them only in an old body.
                let shared = #"{"_attachments":{"a.txt":{"content_type":"text/plain","data":"aGVsbG8="}},"n":1}"#
                let saved = try database["attached"].put(json: shared)
                try database["attached"].put(
                    json: #"{"_attachments":{"empty":{"data":""},"new":{"data":"bmV3"}}}"#,
                    parent: saved.id
                )
                try database["attached too"].put(json: shared)
                try database["encoded"].put(
                    json:
                        #"{"_attachments":{"z":{"data":"H4sIAAAAAAACA8tIzcnJV8hAJwHjUT2NFwAAAA==","encoding":"gzip","length":23}}}"#
                )
                let long = Data(repeating: 7, count: 600_000).base64EncodedString()
                try database["long"].put(json: #"{"_attachments":{"long":{"data":"\#(long)"}}}"#)
            },
            { try database["_local/one"].put(json: #"{"seen":7}"#) },
            {
                try database["_local/é"].put(json: "{}")
                _ = try database["_local/é"].update { $0["again"] = true }
            },
        ]
        if isReversed { steps.reverse() }
        for step in steps { try step() }
        try bed.engine().write { (transaction) throws(StorageError) in
            try transaction.setInfo([0, 255, 10], for: "app/binary")
            try transaction.setInfo([], for: "app/é")
        }
        try expire(bed, "plain", 4_000_000_000_000)
        try expire(bed, "gone", 253_402_300_799_000)
    }

    /// Sets an expiration below the database.
    package static func expire(_ bed: TestDatabase, _ id: String, _ time: Int64?) throws {
        let id = try DocumentID(id)
        try bed.engine().write { (transaction) throws(StorageError) in
            try transaction.setExpiration(time, of: id)
        }
    }
}
