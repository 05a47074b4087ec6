import Foundation
import Observation
import Settee
import SetteeTestSupport
import StorageConformance
import StorageProtocol
import Synchronization
import Testing

/// Documents of any form, circular references, and models used by many threads at a time.
@Suite struct ModelFormTests {
    private static func value(_ depth: Int, _ generator: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 7), using: &generator) {
        case 0: .null
        case 1: .bool(Bool.random(using: &generator))
        case 2: .int(Int64.random(in: .min ... .max, using: &generator))
        case 3: .uint(UInt64.random(in: UInt64(Int64.max) + 1 ... .max, using: &generator))
        case 4: .double(Double.random(in: -1e10...1e10, using: &generator))
        case 5: .string(["", "\u{0}", "é", "e\u{301}", "😀", "2026-11-21"].randomElement(using: &generator) ?? "")
        case 6: .object([:])
        case 7: .array((0..<3).map { _ in value(depth - 1, &generator) })
        default: .object(["_id": value(depth - 1, &generator), "": value(depth - 1, &generator)])
        }
    }

    @Test(arguments: Storage.all) func anyFormIsReadOrRefusedAndNeverLost(_ type: StorageType) throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        try withDatabase(type) { db in
            for number in 0..<60 {
                var properties = JSONObject()
                for name in ["title", "due", "tags", "address", "count", "parent", "", "x", "e\u{301}", "\u{E9}"] {
                    if Bool.random(using: &generator) { properties[name] = ModelFormTests.value(3, &generator) }
                }
                let id = "\(number)"
                try db[id].put(properties)
                do {
                    let note = try db.document(of: Note.self, id: id)
                    #expect(note.model != nil, "seed \(seed)")
                } catch {
                    #expect(error is DecodingError, "seed \(seed)")
                }
                let entry = try db.models.model(Entry.self, id: id)
                _ = (entry.title, entry.due, entry.count, entry.ratio, entry.parent, entry.children)
                entry.ratio = 0.25
                try entry.save()
                properties["ratio"] = 0.25
                #expect(try db[id].properties == properties, "seed \(seed)")
            }
        }
    }

    private struct Person: Codable, Sendable, Equatable {
        var name: String
        var friend: Reference<Person>?
    }

    @Test(arguments: Storage.all) func referencesInCircles(_ type: StorageType) throws {
        weak var gone: ModelDocument<Person>?
        try withDatabase(type) { db in
            let ann = try db.document(of: Person.self, id: "ann")
            let bob = try db.document(of: Person.self, id: "bob")
            ann.model = Person(name: "Ann", friend: try Reference(bob))
            bob.model = Person(name: "Bob", friend: try Reference(ann))
            try db.models.saveAll()
            let friend = try #require(try ann.read().friend?.resolve(in: db))
            #expect(friend === bob)
            #expect(try friend.read().friend?.resolve(in: db) === ann)
            try ann.update { $0.friend = try Reference("ann") }
            #expect(try ann.read().friend?.resolve(in: db) === ann)
            gone = ann
        }
        #expect(gone == nil)
    }

    @Test(arguments: Storage.all) func purgedAndMadeAnew(_ type: StorageType) throws {
        try withDatabase(type) { db in
            try db["n"].put(["title": "a"])
            let note = try db.document(of: Note.self, id: "n")
            try db["n"].purge()
            note.model?.title = "b"
            #expect(throws: StorageError.self) { try note.save() }
            try note.update { $0.title += "c" }
            #expect(try db["n"].text == #"{"title":"bc"}"#)
            try db["n"].purge()
            try note.reload()
            #expect(note.isNew && !note.needsSave && note.model == nil)
            try db["n"].purge()
            try note.delete()
            #expect(note.isDeleted)
        }
    }

    /// A reader that was overtaken once put the state from before back, so that a change was lost, or was refused.
    @Test(arguments: Storage.all) func changesAreKeptWhileOthersReload(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let entry = try db.models.model(Entry.self, id: "e")
            let isOver = Atomic(false)
            let readers = (0..<3).map { _ in
                Background {
                    while !isOver.load(ordering: .relaxed) { try entry.reload() }
                }
            }
            defer { isOver.store(true, ordering: .relaxed) }
            for count in 1...400 {
                try entry.update { entry.count += 1 }
                #expect(entry.count == count)
            }
            isOver.store(true, ordering: .relaxed)
            for reader in readers { try reader.join() }
            #expect(try db["e"].read()["count"] == 400)
        }
    }

    @Test(arguments: Storage.all) func manyThreadsWithOneModel(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let entry = try db.models.model(Entry.self, id: "e")
            db.models.followsChanges = true
            db.models.autosaveDelay = .milliseconds(1)
            entry.autosaves = true
            DispatchQueue.concurrentPerform(iterations: 6) { worker in
                for step in 0..<40 {
                    do {
                        switch worker {
                        case 0: try entry.update { entry.count += 1 }
                        case 1: entry["w\(step)"] = .int(Int64(step))
                        case 2:
                            try entry.setAttachment(named: "a\(step % 3)", content: .bytes([UInt8(step)]))
                            _ = try entry.attachment(named: "a\(step % 3)")?.length
                        case 3: try entry.reload()
                        case 4:
                            withObservationTracking {
                                _ = (entry.title, entry.count, entry.needsSave, entry.attachmentNames)
                            } onChange: {
                                _ = entry.count
                            }
                            try db.models.saveAll()
                        default: try db["e"].update { $0["theirs"] = .int(Int64(step)) }
                        }
                    } catch let error as StorageError where error.code == .conflict || error.code == .notFound {
                        // Overtaken.
                    } catch {
                        Issue.record(error)
                    }
                }
            }
            try entry.update { entry.title = "end" }
            #expect(!entry.needsSave)
            let saved = try db["e"].read()
            #expect(saved["count"] == 40)
            #expect(saved["theirs"] == 39)
            #expect(saved["title"] == "end")
            for step in 0..<40 { #expect(saved["w\(step)"] == .int(Int64(step))) }
            #expect(try saved.attachmentNames == ["a0", "a1", "a2"])
            #expect(try saved.attachment(named: "a0")?.content() == [39])
            db.models.followsChanges = false
        }
    }
}
