import Foundation
import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeEngine

/// The length of a gzip content was taken from its source unchecked: 2^62 crashed the process when the content was
/// read, and any other wrong length was only noticed by readers.
@Suite struct AttachmentLengthTests {
    // `printf 'Hello, Hello, Hello' | gzip -n`
    private static let encoded = "H4sIAAAAAAAAA/NIzcnJ11HwQKIAdyO+9hMAAAA="
    private static let wrong: [Int64] = [0, 1, 18, 20, 31, 1 << 31, 1 << 32, 1 << 62, Int64.max]

    private static func text(_ length: Int64?, data: String = encoded, rev: String = "") -> String {
        let length = length.map { #","length":\#($0)"# } ?? ""
        return #"{\#(rev)"_attachments":{"x":{"data":"\#(data)","encoding":"gzip"\#(length)}}}"#
    }

    @Test(arguments: Storage.every) func aWrongLengthIsRefused(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let content = try #require(Data(base64Encoded: Self.encoded))
            let staged = try database.stageAttachment(.data(content))
            func entry(_ kind: String, _ length: Int64) -> JSONObject {
                [
                    "_attachments": [
                        "x": .object([
                            kind: true, "digest": .string(staged.digest), "encoding": "gzip", "length": .int(length),
                        ])
                    ]
                ]
            }
            for length in Self.wrong {
                expectError(.badAttachment) { try database["a"].put(json: Self.text(length)) }
                expectError(.badAttachment) {
                    try database["a"].forceInsert(json: Self.text(length, rev: #""_rev":"7-x","#))
                }
                expectError(.badAttachment) { try database["a"].put(entry("follows", length)) }
            }
            #expect(try database.lastSequence == 0)
            try database["have"].put(json: Self.text(19))
            for length in Self.wrong {
                // A stub that gives a length of its own: from elsewhere, and in another document.
                expectError(.badAttachment) {
                    try database["b"].forceInsert(entry("stub", length), history: [RevisionID("2-b")])
                }
                expectError(.badAttachment) { try database["b"].put(entry("follows", length)) }
                expectError(.badAttachment) { try database["b"].put(entry("stub", length)) }
            }
            for (number, kind) in ["follows", "stub"].enumerated() {
                let saved = try database["d\(number)"].put(entry(kind, 19))
                #expect(try saved.attachment(named: "x")?.content() == bytes("Hello, Hello, Hello"))
            }
            withExtendedLifetime(staged) {}
        }
    }

    @Test(arguments: Storage.every) func whatIsNoGzipIsRefused(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let whole = try #require(Data(base64Encoded: Self.encoded))
            let cut = whole.dropLast(9).base64EncodedString()
            for data in ["SGVsbG8=", "", "Hw==", cut, (whole + Data([1])).base64EncodedString()] {
                for length in [nil, 0, 5, 19] as [Int64?] {
                    expectError(.badAttachment, "\(data) \(length ?? -1)") {
                        try bed.database["a"].put(json: Self.text(length, data: data))
                    }
                }
            }
        }
    }

    /// A store may hold what an earlier program took, or what somebody changed in its files.
    @Test(arguments: Storage.every) func aWrongLengthInTheStoreIsAnErrorAndFound(_ type: StorageType) throws {
        for length in Self.wrong {
            let bed = try TestDatabase(type)
            let database = bed.database
            let saved = try database["a"].put(json: Self.text(nil))
            #expect(try saved.attachment(named: "x")?.content() == bytes("Hello, Hello, Hello"))
            let body = String(decoding: saved.json, as: UTF8.self)
                .replacingOccurrences(of: #""length":19"#, with: #""length":\#(length)"#)
            let id = try RevisionDigest.revisionID(body: unsafe bytes(body).span.bytes, parent: nil, isDeleted: false)
            // Everything agrees with the body except the content.
            let tree = try RevisionTree(parts: [
                .init(
                    id: id,
                    parent: nil,
                    hasBody: true,
                    hasAttachments: true,
                    sequence: 2,
                    bodyChecksum: unsafe RevisionChecksum.ofBody(bytes(body).span.bytes, id: id, isDeleted: false)
                )
            ])
            try bed.engine().write { (transaction) throws(StorageError) in
                try transaction.update(
                    RecordDraft(
                        documentID: DocumentID("a"),
                        flags: tree.documentFlags,
                        sequence: 2,
                        winner: id,
                        tree: tree.storedBytes,
                        body: .replace(bytes(body))
                    )
                )
            }
            let attachment = try #require(try database["a"].read().attachment(named: "x"))
            #expect(attachment.length == UInt64(length))
            if length > 0 {
                expectError(.corrupt, "\(length)") { try attachment.content() }
                expectError(.corrupt, "\(length)") { try attachment.forEachPiece { _ in } }
            }
            #expect(try attachment.encodedContent().count == 29)
            #expect(try database.check().map(\.area) == ["attachment"], "\(length)")
            try bed.manager.close()
        }
    }

    /// An export is from outside as well.
    @Test(arguments: Storage.every) func anExportWithAWrongLengthIsRefused(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database["a"].put(json: Self.text(nil))
            let text = try ExportText(bed.database)
            #expect(text.lines.contains { $0.contains(#""length":19"#) })
            _ = try text.sealed().importer(in: bed.folder.url)
            for length in Self.wrong {
                var other = text
                for index in other.lines.indices {
                    other.lines[index] = other.lines[index]
                        .replacingOccurrences(of: #""length":19"#, with: #""length":\#(length)"#)
                }
                expectError(.corrupt, "\(length)") { try other.sealed().importer(in: bed.folder.url) }
            }
            var stored = text
            for index in stored.lines.indices {
                stored.lines[index] = stored.lines[index]
                    .replacingOccurrences(of: #""encoded_length":29"#, with: #""encoded_length":28"#)
            }
            expectError(.corrupt) { try stored.sealed().importer(in: bed.folder.url) }
        }
    }
}
