import Foundation
import Settee
import SetteeTestSupport
import StorageConformance
import Testing

@Suite("Importing a neutral export")
struct NeutralImportTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] == "1"

    private func sample() throws -> ExportText {
        let bed = try TestDatabase(.memory)
        try ExportSample.fill(bed)
        return try ExportText(bed.database)
    }

    /// A small export: every kind of line that needs no attachment.
    private func small() throws -> ExportText {
        let bed = try TestDatabase(.memory)
        let database = bed.database
        try ExportSample.insert(database, "a", ["1-x"], "{}")
        try ExportSample.insert(database, "a", ["2-y", "1-x"], #"{"t":1}"#)
        try ExportSample.insert(database, "a", ["2-z", "1-x"], "{}", deleted: true)
        try database["_local/l"].put(json: "{}")
        try database.inTransaction { try database["b"].put(json: #"{"b":[1]}"#) }
        return try ExportText(database)
    }

    // MARK: - Into a database with documents

    @Test("A merge adds what is missing, and nothing the second time", arguments: Storage.every)
    func merge(type: StorageType) throws {
        let text = try sample()
        try withDatabase(type) { bed in
            let database = bed.database
            try database["own"].put(json: "{}")
            try database["_local/one"].put(json: #"{"own":true}"#)
            try ExportSample.insert(database, "conflict", ["3-q", "2-b", "1-a"], #"{"q":1}"#)
            try ExportSample.insert(database, "plain", ["1-p"], "{}")
            let before = try database.lastSequence
            let importer = try text.importer(in: folder.url)
            let done = try importer.run(into: database)
            #expect(!done.isRestored && done.documents == importer.contents.documents && done.localDocuments == 1)
            #expect(try database.lastSequence > before)
            #expect(try database["own"].exists)
            let own = try database["_local/one"].revision()
            #expect(own?.text == #"{"own":true}"#)
            // Both have a root of their own now.
            #expect(try database.allDocuments(.init(onlyConflicts: true)).ids() == ["conflict", "plain"])
            let after = try ExportText(database)
            let again = try importer.run(into: database)
            #expect(again.documents == 0 && again.unchanged == importer.contents.documents && again.localDocuments == 0)
            #expect(try ExportText(database).lines == after.lines)
            // Documents that were not there are as they were.
            for id in ["updated", "foreign", "gone"] {
                let line = try #require(text.lines.first { $0.contains(#""id":"\#(id)""#) })
                #expect(after.lines.contains(line))
            }
        }
    }

    @Test("An old revision's body is merged too, whatever its position in the tree", arguments: Storage.every)
    func mergeOldBodies(type: StorageType) throws {
        try withDatabase(.memory) { first in
            try ExportSample.insert(first.database, "a", ["1-r"], #"{"n":1}"#)
            try ExportSample.insert(first.database, "a", ["2-s", "1-r"], #"{"n":2}"#)
            try ExportSample.insert(first.database, "a", ["2-t", "1-r"], #"{"n":3}"#)
            try withDatabase(type) { second in
                try ExportSample.insert(second.database, "a", ["1-other"], "{}")
                try ExportText(first.database).importer(in: folder.url).run(into: second.database)
                #expect(try ExportText(second.database).content.filter { $0.hasPrefix(#"{"body":{"n""#) }.count == 3)
            }
        }
    }

    // MARK: - Failures

    @Test("An error thrown by `progress` ends a restore without any effect", arguments: Storage.every)
    func progressThrows(type: StorageType) throws {
        try withDatabase(.memory) { first in
            try first.database.inTransaction { for _ in 0..<1001 { try first.database.makeDocument().put(json: "{}") } }
            let importer = try ExportText(first.database).importer(in: folder.url)
            try withDatabase(type) { bed in
                expectApplicationError(7) {
                    try importer.run(into: bed.database) { _ in throw ApplicationError(number: 7) }
                }
                #expect(try bed.database.documentCount == 0 && bed.database.lastSequence == 0)
                try importer.run(into: bed.database)
                #expect(try bed.database.documentCount == 1001)
            }
        }
    }

    @Test(
        "Errors of the sink are passed on unchanged; it reads the exported state, and cannot write",
        arguments: Storage.every
    )
    func sink(type: StorageType) throws {
        try withDatabase(type) { bed in
            try bed.database["a"].put(json: "{}")
            expectApplicationError(3) { try bed.database.exportAll { _ in throw ApplicationError(number: 3) } }
            let look: ([UInt8]) throws -> Void = { _ in
                let exists = try bed.database["a"].exists
                #expect(exists)
                expectError(.callback) { try bed.database["b"].put(json: "{}") }
            }
            try bed.database.exportAll(to: look)
            try bed.database.inTransaction {
                try bed.database["c"].put(json: "{}")
                #expect(try ExportText(bed.database).content.contains { $0.contains(#""id":"c""#) })
            }
            #expect(try !bed.database["b"].exists)
        }
    }

    @Test("A read-only database can be exported, but not imported into")
    func readOnly() throws {
        let bed = try TestDatabase(.sqlite)
        try ExportSample.fill(bed)
        let text = try ExportText(bed.database)
        try bed.database.close()
        let manager = try Manager(directory: bed.folder.url, options: .init(readOnly: true))
        let database = try manager.database(named: "test")
        #expect(try ExportText(database).lines == text.lines)
        let importer = try text.importer(in: folder.url)
        expectError(.readOnly) { try importer.run(into: database) }
        try manager.close()
    }

    @Test("A database with damaged documents is not exported as if they were intact")
    func damagedDatabase() throws {
        try withDatabase(.memory) { bed in
            try ExportSample.insert(bed.database, "a", ["1-x"], "{}")
            try ExportSample.insert(bed.database, "a", ["1-y"], "{}")
            try bed.engine().write { (transaction) throws(StorageError) in try transaction.removeRevisionBody(at: 1) }
            expectError(.corrupt) { try bed.database.exportAll { _ in } }
            try bed.database["a"].purge()
        }
    }

    @Test("A file that changes while it is imported is noticed")
    func changedFile() throws {
        let url = folder.url.appending(path: "export")
        try withDatabase(.memory) { first in
            try first.database.inTransaction { for _ in 0..<1001 { try first.database.makeDocument().put(json: "{}") } }
            try Data(ExportText(first.database).bytes).write(to: url)
        }
        let importer = try DatabaseImporter(contentsOf: url)
        try withDatabase(.sqlite) { bed in
            let change: (Int) throws -> Void = { _ in
                let handle = try FileHandle(forWritingTo: url)
                try handle.seekToEnd()
                try handle.write(contentsOf: Data("x".utf8))
                try handle.close()
            }
            expectError(.fileSystem) { try importer.run(into: bed.database, progress: change) }
            let count = try bed.database.documentCount
            #expect(count == 0)
        }
        expectError(.fileSystem) { try DatabaseImporter(contentsOf: folder.url.appending(path: "none")) }
        expectError(.fileSystem) { try DatabaseImporter(contentsOf: folder.url) }
    }

    // MARK: - Damage

    @Test("A text that is truncated anywhere is refused")
    func truncated() throws {
        let bytes = try small().bytes
        for length in 0..<bytes.count
        where isLong || length % 7 == 0 || bytes[length] == 0x0A || bytes[length - 1] == 0x0A {
            #expect(throws: StorageError.self, "\(length) bytes") {
                try ExportText.importer(of: Array(bytes[..<length]), in: folder.url)
            }
        }
        _ = try ExportText.importer(of: bytes, in: folder.url)
        expectError(.corrupt) { try ExportText.importer(of: bytes + [0x0A], in: folder.url) }
        expectError(.corrupt) { try ExportText.importer(of: bytes + bytes, in: folder.url) }
    }

    @Test("A text with any byte changed is refused")
    func flipped() throws {
        let bytes = try small().bytes
        for index in bytes.indices {
            for flip: UInt8 in isLong ? [0x01, 0x20, 0x80] : [[0x01, 0x20, 0x80][index % 3]] {
                var changed = bytes
                changed[index] ^= flip
                #expect(throws: StorageError.self, "byte \(index)") {
                    try ExportText.importer(of: changed, in: folder.url)
                }
            }
        }
    }

    @Test("A line that is left out, repeated or moved is refused")
    func moved() throws {
        let text = try small()
        for index in text.lines.indices {
            var less = text
            less.lines.remove(at: index)
            expectRefused(less, "without line \(index + 1)")
            var more = text
            more.lines.insert(text.lines[index], at: index)
            expectRefused(more, "line \(index + 1) twice")
        }
    }

    private func expectRefused(_ text: ExportText, _ comment: Comment) {
        #expect(throws: StorageError.self, comment) { try text.importer(in: folder.url) }
    }

    @Test("Another version, and texts that are not exports")
    func versions() throws {
        for version in ["2", "999999999999"] {
            expectError(.unsupportedFormat) {
                try ExportText([#"{"settee":"export","version":\#(version)}"#]).importer(in: folder.url)
            }
        }
        for text in ["", "{}\n", "\n", "{\"_id\":\"a\"}\n", "{\"settee\":\"export\"}\n", "\u{0}\n", "not JSON\n"] {
            expectError(.badJSON) { try ExportText.importer(of: bytes(text), in: folder.url) }
        }
        expectError(.corrupt) { try ExportText(["{\"settee\":\"export\", \"version\":1}"]).importer(in: folder.url) }
    }

    /// Lines that a text with correct digests might contain.
    private static let hostile: [(String, [String])] = {
        func document(_ revisions: String, _ places: String?, _ bodies: Int = 1, id: String = #""a""#) -> [String] {
            let store = places.map { [#"{"store":\#($0)}"#] } ?? []
            return [#"{"document":{"id":\#(id),"revisions":\#(revisions)}}"#] + store
                + Array(repeating: #"{"body":{}}"#, count: bodies)
        }
        let one = #"[{"body":true,"rev":"1-x"}]"#
        let good = #"{"flags":[2],"sequences":[1]}"#
        return [
            ("a parent that is not there", document(#"[{"body":true,"parent":7,"rev":"2-x"}]"#, nil)),
            ("a parent below zero", document(#"[{"body":true,"parent":-1,"rev":"2-x"}]"#, nil)),
            ("its own parent", document(#"[{"body":true,"parent":0,"rev":"2-x"}]"#, nil)),
            ("a circle", document(#"[{"body":true,"parent":1,"rev":"2-x"},{"parent":0,"rev":"1-y"}]"#, nil)),
            ("a giant parent", document(#"[{"body":true,"parent":9223372036854775807,"rev":"2-x"}]"#, nil)),
            ("a gap in generations", document(#"[{"body":true,"parent":1,"rev":"3-x"},{"rev":"1-y"}]"#, nil)),
            ("one revision twice", document(#"[{"body":true,"rev":"1-x"},{"body":true,"rev":"1-x"}]"#, nil, 2)),
            ("the loser first", document(#"[{"body":true,"rev":"1-x"},{"body":true,"rev":"1-y"}]"#, nil, 2)),
            ("a leaf without body", document(#"[{"body":true,"rev":"1-y"},{"rev":"1-x"}]"#, nil)),
            ("no body", document(#"[{"rev":"1-y"}]"#, nil, 0)),
            ("no revisions", document("[]", nil, 0)),
            ("revisions that are none", document("[1]", nil)),
            ("a revision ID without dash", document(#"[{"body":true,"rev":"1"}]"#, nil)),
            ("generation 0", document(#"[{"body":true,"rev":"0-x"}]"#, nil)),
            ("a generation beyond", document(#"[{"body":true,"rev":"9223372036854775808-x"}]"#, nil)),
            ("a generation that nothing can follow", document(#"[{"body":true,"rev":"9223372036854775807-x"}]"#, nil)),
            (
                "the same for a local document",
                [#"{"local":{"id":"_local/a","rev":"9223372036854775807-local"}}"#, #"{"body":{}}"#]
            ),
            ("body false", document(#"[{"body":false,"rev":"1-x"}]"#, nil)),
            ("an unknown member", document(#"[{"body":true,"rev":"1-x","zoo":1}]"#, nil)),
            ("a body too many", document(one, nil, 2)),
            ("a body too few", document(one, nil, 0)),
            ("a local document's ID", document(one, nil, id: #""_local/a""#)),
            ("a reserved ID", document(one, nil, id: #""_a""#)),
            ("an empty ID", document(one, nil, id: #""""#)),
            ("an ID with NUL", document(one, nil, id: #""a\u0000""#)),
            ("an ID that is a number", document(one, nil, id: "1")),
            ("an ID over 64 KiB", document(one, nil, id: #""\#(String(repeating: "a", count: 65_537))""#)),
            ("a document twice", document(one, nil) + document(one, nil)),
            ("documents out of order", document(one, nil, id: #""b""#) + document(one, nil)),
            ("too few places", document(one, #"{"flags":[],"sequences":[]}"#)),
            ("too many places", document(one, #"{"flags":[2,0],"sequences":[1,0]}"#)),
            ("a body without sequence", document(one, #"{"flags":[2],"sequences":[0]}"#)),
            ("a body without its flag", document(one, #"{"flags":[0],"sequences":[1]}"#)),
            ("an unknown flag", document(one, #"{"flags":[10],"sequences":[1]}"#)),
            ("attachments without body", document(one, #"{"flags":[4],"sequences":[1]}"#)),
            ("a sequence below zero", document(one, #"{"flags":[2],"sequences":[-1]}"#)),
            ("a giant sequence", document(one, #"{"flags":[2],"sequences":[18446744073709551615]}"#)),
            ("a fraction as sequence", document(one, #"{"flags":[2],"sequences":[1.5]}"#)),
            ("one sequence twice", document(one, good) + document(one, good, id: #""b""#)),
            (
                "one sequence twice in a document",
                document(
                    #"[{"body":true,"rev":"1-y"},{"body":true,"rev":"1-x"}]"#,
                    #"{"flags":[2,2],"sequences":[1,1]}"#,
                    2
                )
            ),
            (
                "a sequence above the last one",
                [#"{"store":{"info":{},"lastSequence":1}}"#] + document(one, #"{"flags":[2],"sequences":[2]}"#)
            ),
            ("two lines of the store", document(one, good).flatMap { $0.contains("store") ? [$0, $0] : [$0] }),
            ("a time that is none", [#"{"document":{"expires":1.5,"id":"a","revisions":\#(one)}}"#, #"{"body":{}}"#]),
            ("a body alone", [#"{"body":{}}"#]),
            ("a body that is no object", document(one, nil, 0) + [#"{"body":[]}"#]),
            ("a body with a reserved member", document(one, nil, 0) + [#"{"body":{"_id":"a"}}"#]),
            ("a body that is not canonical", document(one, nil, 0) + [#"{"body":{"b":1,"a":1}}"#]),
            ("a body with 1.0", document(one, nil, 0) + [#"{"body":{"a":1.0}}"#]),
            ("a body with a space", document(one, nil, 0) + [#"{"body":{} }"#]),
            ("a body that does not end", document(one, nil, 0) + [#"{"body":{}"#]),
            ("a body with more behind it", document(one, nil, 0) + [#"{"body":{},"zoo":1}"#]),
            (
                "an attachment without content",
                document(one, nil, 0) + [
                    #"{"body":{"_attachments":{"a":{"digest":"sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk="}}}}"#
                ]
            ),
            ("an attachment without digest", document(one, nil, 0) + [#"{"body":{"_attachments":{"a":{}}}}"#]),
            ("an attachment that is none", document(one, nil, 0) + [#"{"body":{"_attachments":{"a":1}}}"#]),
            (
                "a content that nothing refers to",
                [
                    #"{"blob":{"length":0,"sha1":"da39a3ee5e6b4b0d3255bfef95601890afd80709"}}"#
                ]
            ),
            ("a chunk alone", [#"{"chunk":""}"#]),
            ("a local document with another ID", [#"{"local":{"id":"a","rev":"1-local"}}"#, #"{"body":{}}"#]),
            ("a local document without body", [#"{"local":{"id":"_local/a","rev":"1-local"}}"#]),
            (
                "a local document behind others",
                document(one, nil) + [
                    #"{"local":{"id":"_local/a","rev":"1-local"}}"#, #"{"body":{}}"#,
                ]
            ),
            ("an info value behind others", document(one, nil) + [#"{"info":{"key":"a","value":""}}"#]),
            (
                "info values out of order",
                [
                    #"{"info":{"key":"b","value":""}}"#, #"{"info":{"key":"a","value":""}}"#,
                ]
            ),
            ("an info value twice", [#"{"info":{"key":"a","value":""}}"#, #"{"info":{"key":"a","value":""}}"#]),
            ("a UUID as content", [#"{"info":{"key":"privateUUID","value":""}}"#]),
            ("base 64 that is none", [#"{"info":{"key":"a","value":"a"}}"#]),
            ("base 64 with spare bits", [#"{"info":{"key":"a","value":"aGVsbG9="}}"#]),
            ("base 64 with a space", [#"{"info":{"key":"a","value":"aGVs bG8="}}"#]),
            ("an unknown kind", [#"{"zoo":{}}"#]),
            ("two kinds", [#"{"info":{"key":"a","value":""},"local":{}}"#]),
            ("an array", ["[]"]),
            ("an empty line", [""]),
            ("NUL", ["\u{0}"]),
            ("depth", [String(repeating: "[", count: 100_000)]),
            ("a header once more", [#"{"settee":"export","version":1}"#]),
        ]
    }()

    @Test("Hostile lines are refused, even where counts and digests agree", arguments: hostile.indices)
    func hostileLines(index: Int) throws {
        let (name, lines) = NeutralImportTests.hostile[index]
        let text = try ExportText([#"{"settee":"export","version":1}"#] + lines).sealed()
        let comment = Comment(rawValue: name)
        do {
            _ = try text.importer(in: folder.url)
            Issue.record(comment)
        } catch let error as StorageError {
            #expect(error.code == .corrupt, comment)
            #expect(error.message.contains("line "), comment)
        }
    }

    @Test("Damage with matching digests is refused, or is a different export that is restored as it says")
    func resealed() throws {
        let text = try small()
        var accepted = 0
        for seed in 0..<(isLong ? 5000 : 100) {
            var random = SeededGenerator(seed: UInt64(seed))
            var changed = text
            for _ in 0...Int.random(in: 0..<2, using: &random) {
                let place = Int.random(in: 1..<changed.lines.count, using: &random)
                var line = Array(changed.lines[place].utf8)
                let index = Int.random(in: line.indices, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: line[index] = UInt8.random(in: 0x20..<0x7F, using: &random)
                case 1: line.remove(at: index)
                case 2: line.insert(line[Int.random(in: line.indices, using: &random)], at: index)
                default: line[index] = Array("0123456789".utf8).randomElement(using: &random) ?? line[index]
                }
                changed.lines[place] = String(decoding: line, as: UTF8.self)
            }
            changed = try changed.sealed()
            guard let importer = try? changed.importer(in: folder.url) else { continue }
            accepted += 1
            try withDatabase(.memory) { bed in
                try importer.run(into: bed.database)
                let copy = try ExportText(bed.database)
                #expect(copy.content == changed.content, "seed \(seed)")
            }
        }
        #expect(accepted > 0)
    }

    @Test(
        "Validation functions see current revisions: one that rejects ends a restore, or leaves a document out of a merge",
        arguments: Storage.every
    )
    func validation(type: StorageType) throws {
        let text = try small()
        try withDatabase(type) { bed in
            let database = bed.database
            database.setValidation("no b") { revision, context in
                if revision.documentID.string == "b" { context.reject(withMessage: "No b.") }
            }
            let importer = try text.importer(in: folder.url)
            expectError(.rejected) { try importer.run(into: database) }
            #expect(try database.lastSequence == 0)
            try database["own"].put(json: "{}")
            var refused: [String] = []
            let note: (String, StorageError) throws -> Void = { id, _ in refused.append(id) }
            let done = try importer.run(into: database, failure: note)
            #expect(done.failed == 1 && done.documents == 1)
            #expect(refused == ["b"])
            let exists = try database["b"].exists
            #expect(!exists)
        }
    }

    @Test("A line that is too long is refused before all of it is in memory")
    func longLine() throws {
        var rest = 70
        let megabyte = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20)
        expectError(.corrupt) {
            try DatabaseImporter(spoolingIn: folder.url) { () throws(StorageError) in
                rest -= 1
                if rest == 69 { return bytes("{\"settee\":\"export\",\"version\":1}\n") }
                return rest > 0 ? megabyte : nil
            }
        }
    }

    @Test("An importer that buffered its stream leaves nothing beside the database")
    func leavesNothing() throws {
        _ = try small().importer(in: folder.url)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
    }
}
