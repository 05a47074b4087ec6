import Foundation
import Settee
import SetteeTestSupport
import Testing

@Suite("The neutral export")
struct NeutralExportTests {
    @Test("The text is what the format's documentation says, byte for byte", arguments: Storage.every)
    func text(type: StorageType) throws {
        try withDatabase(type) { bed in
            let database = bed.database
            try ExportSample.insert(database, "a", ["1-x"], "{}")
            try ExportSample.insert(database, "a", ["2-y", "1-x"], #"{"title":"Little, Big"}"#)
            try ExportSample.insert(database, "a", ["3-w", "2-v"], "{}", deleted: true)
            try database["_local/l"].put(json: #"{"b":1,"a":2}"#)
            try bed.engine().write { (transaction) throws(StorageError) in
                for value in try transaction.allInfo() { try transaction.setInfo(nil, for: value.key) }
                try transaction.setInfo(Array("hello".utf8), for: "app/k")
            }
            try ExportSample.expire(bed, "a", 4_102_444_800_123)
            let text = try ExportText(database)
            #expect(
                text.lines.filter { !$0.hasPrefix(#"{"store":{"info""#) }.dropLast() == [
                    #"{"settee":"export","version":1}"#,
                    #"{"info":{"key":"app/k","value":"aGVsbG8="}}"#,
                    #"{"local":{"id":"_local/l","rev":"1-local"}}"#,
                    #"{"body":{"a":2,"b":1}}"#,
                    #"{"document":{"expires":4102444800123,"id":"a","revisions":[{"body":true,"parent":1,"rev":"2-y"},{"body":true,"rev":"1-x"},{"body":true,"deleted":true,"parent":3,"rev":"3-w"},{"rev":"2-v"}]}}"#,
                    #"{"store":{"flags":[2,2,2,0],"sequences":[2,1,3,0]}}"#,
                    #"{"body":{"title":"Little, Big"}}"#,
                    #"{"body":{}}"#,
                    #"{"body":{}}"#,
                ]
            )
            #expect(try text.sealed().lines.last == text.lines.last)
            #expect(try database.contentDigest() == text.end("digest")?.stringValue)
        }
    }

    @Test(
        "From one engine into another and back: the same text, sequences too",
        arguments: Storage.every,
        Storage.every
    )
    func roundTrip(from: StorageType, to: StorageType) throws {
        try withDatabase(from) { first in
            try ExportSample.fill(first)
            let text = try ExportText(first.database)
            let summary = try first.database.exportAll { _ in }
            try withDatabase(to) { second in
                let importer = try text.importer(in: second.folder.url)
                #expect(importer.contents == summary)
                let done = try importer.run(into: second.database)
                #expect(done.isRestored && done.documents == summary.documents && done.digest == summary.digest)
                let copy = try ExportText(second.database)
                #expect(copy.withoutIdentity == text.withoutIdentity)
                #expect(try second.database.lastSequence == first.database.lastSequence)
                #expect(try second.database.documentCount == first.database.documentCount)
                #expect(try second.database.contentDigest() == summary.digest)
                try second.reopen()
                #expect(try second.database.contentDigest() == summary.digest)
                // Its revisions continue as the first one's would.
                for bed in [first, second] { _ = try bed.database["plain"].update { $0["more"] = 1 } }
                #expect(try second.database.contentDigest() == first.database.contentDigest())
            }
        }
    }

    @Test("Equal content has one digest, whatever its history and engine", arguments: Storage.every)
    func digest(type: StorageType) throws {
        try withDatabase(type) { first in
            try ExportSample.fill(first)
            let digest = try first.database.contentDigest()
            try withDatabase(.memory) { second in
                for number in 0..<7 { try second.database["purged \(number)"].put(json: "{}") }
                try ExportSample.fill(second, isReversed: true)
                for number in 0..<7 { try second.database["purged \(number)"].purge() }
                #expect(try second.database.contentDigest() == digest)
                #expect(try ExportText(second.database).content == ExportText(first.database).content)
            }
        }
    }

    @Test("Every kind of content is in the digest", arguments: Storage.every)
    func digestChanges(type: StorageType) throws {
        try withDatabase(type) { bed in
            try ExportSample.fill(bed)
            let database = bed.database
            var seen = Set([try database.contentDigest()])
            let changes: [() throws -> Void] = [
                { try database["new"].put(json: "{}") },
                { _ = try database["new"].update { $0["a"] = 1 } },
                { try database["new"].delete() },
                { try database["_local/one"].put(json: #"{"seen":8}"#) },
                { try ExportSample.expire(bed, "é", 4_000_000_000_005) },
                { try ExportSample.insert(database, "é", ["1-other"], "{}") },
                { try bed.engine().write { (tx) throws(StorageError) in try tx.setInfo([1], for: "app/é") } },
                { try database.compact() },
                { try database["plain"].purge() },
            ]
            for (number, change) in changes.enumerated() {
                try change()
                #expect(seen.insert(try database.contentDigest()).inserted, "change \(number)")
            }
            // What is not content.
            let digest = try database.contentDigest()
            try database["passing"].put(json: "{}")
            try database["passing"].purge()
            try bed.engine().write { (tx) throws(StorageError) in try tx.setInfo([1], for: "privateUUID") }
            #expect(try database.contentDigest() == digest)
        }
    }

    @Test("The last sequence is exported if it belongs to a purge", arguments: Storage.every)
    func lastSequence(type: StorageType) throws {
        for purges in 0..<4 {
            try withDatabase(.memory) { first in
                for number in 0..<3 { try first.database["d\(number)"].put(json: "{}") }
                for number in 0..<purges { try first.database["d\(2 - number)"].purge() }
                let text = try ExportText(first.database)
                try withDatabase(type) { second in
                    try text.importer(in: second.folder.url).run(into: second.database)
                    #expect(try second.database.lastSequence == UInt64(3 + purges))
                    #expect(try second.database.documentCount == UInt64(3 - purges))
                    #expect(try ExportText(second.database).withoutIdentity == text.withoutIdentity)
                    try second.database["next"].put(json: "{}")
                    #expect(try second.database.lastSequence == UInt64(4 + purges))
                }
            }
        }
    }

    @Test("If sequences were already used, the documents' sequences follow in the same order", arguments: Storage.every)
    func continuedSequences(type: StorageType) throws {
        try withDatabase(.memory) { first in
            try ExportSample.fill(first)
            let text = try ExportText(first.database)
            try withDatabase(type) { second in
                for _ in 0..<3 {
                    try second.database["x"].put(json: "{}")
                    try second.database["x"].purge()
                }
                let done = try text.importer(in: second.folder.url).run(into: second.database)
                #expect(done.isRestored)
                #expect(try second.database.lastSequence == first.database.lastSequence + 6)
                #expect(try ExportText(second.database).content == text.content)
                let ids = try first.database.changes(since: 0).ids()
                #expect(try second.database.changes(since: 0).ids() == ids)
            }
        }
    }

    @Test("Without the store's lines the revisions are numbered anew", arguments: Storage.every)
    func withoutPlaces(type: StorageType) throws {
        try withDatabase(.memory) { first in
            try ExportSample.fill(first)
            var text = try ExportText(first.database)
            text.lines.removeAll { $0.hasPrefix(#"{"store":"#) }
            try withDatabase(type) { second in
                try text.sealed().importer(in: second.folder.url).run(into: second.database)
                #expect(try ExportText(second.database).content == text.content)
            }
        }
    }

    @Test("A body that compaction dropped stays dropped, and what the tree knows about it is kept")
    func compacted() throws {
        try withDatabase(.sqlite) { first in
            for number in 0..<5 { _ = try first.database["a"].update { $0["number"] = .init(number) } }
            try first.database.compact()
            let text = try ExportText(first.database)
            #expect(text.lines.count { $0.hasPrefix(#"{"body":"#) } == 1)
            #expect(text.lines.contains { $0.contains(#""sequences":[5,4,3,2,1]"#) })
            try withDatabase(.memory) { second in
                try text.importer(in: second.folder.url).run(into: second.database)
                #expect(try ExportText(second.database).withoutIdentity == text.withoutIdentity)
            }
        }
    }

    @Test("A tree of many revisions and branches", arguments: Storage.every)
    func largeTree(type: StorageType) throws {
        try withDatabase(.memory) { first in
            for branch in 0..<300 {
                let history = (1...10).reversed().map { $0 > 3 ? "\($0)-\(branch)" : "\($0)-trunk" }
                try ExportSample.insert(first.database, "many", history, #"{"branch":\#(branch)}"#)
            }
            let text = try ExportText(first.database)
            #expect(text.lines.count { $0.hasPrefix(#"{"body":"#) } == 300)
            try withDatabase(type) { second in
                try text.importer(in: second.folder.url).run(into: second.database)
                #expect(try ExportText(second.database).withoutIdentity == text.withoutIdentity)
            }
        }
    }

    @Test("An empty database")
    func empty() throws {
        try withDatabase(.sqlite) { first in
            let text = try ExportText(first.database)
            try withDatabase(.memory) { second in
                let done = try text.importer(in: second.folder.url).run(into: second.database)
                #expect(done.isRestored && done.documents == 0)
                #expect(try second.database.contentDigest() == first.database.contentDigest())
            }
        }
    }
}
