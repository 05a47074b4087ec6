import Foundation
import Settee
import SetteeTestSupport
import Testing

/// An index follows the changes of documents.
@Suite struct IndexUpdateTests {
    private func setMap(_ bed: TestDatabase, _ counter: MapCounter? = nil) throws {
        try bed.view().setMap(version: "1") { document, emit in
            counter?.note(document)
            if let n = document["n"] { emit(n, document["v"]) }
        }
    }

    @Test(arguments: Storage.all) func itFollowsEachChange(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let counter = MapCounter()
            try setMap(bed, counter)
            func expect(_ lines: [String], mapped: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
                #expect(try bed.view().query().lines() == lines, sourceLocation: sourceLocation)
                #expect(counter.take() == mapped, "Only what has changed is mapped.", sourceLocation: sourceLocation)
                let status = try #require(try bed.view().status())
                #expect(try status.lastSequence == bed.database.lastSequence, sourceLocation: sourceLocation)
                #expect(!status.isStale, sourceLocation: sourceLocation)
                #expect(status.rowCount == UInt64(lines.count), sourceLocation: sourceLocation)
            }
            try expect([], mapped: [])
            for (id, n) in [("a", 3), ("b", 1), ("c", 2)] as [(String, JSONValue)] {
                try bed.database[id].put(["n": n])
            }
            try expect(["1 - b", "2 - c", "3 - a"], mapped: ["a", "b", "c"])
            try bed.database["a"].update { $0["n"] = 0 }
            try expect(["0 - a", "1 - b", "2 - c"], mapped: ["a"])
            try bed.database["a"].update { $0["v"] = "new" }
            try expect([#"0 "new" a"#, "1 - b", "2 - c"], mapped: ["a"])
            try bed.database["b"].update { $0["n"] = nil }
            try expect([#"0 "new" a"#, "2 - c"], mapped: ["b"])
            try bed.database["c"].delete()
            try expect([#"0 "new" a"#], mapped: [])
            // A document comes back, on top of its tombstone; another one is purged.
            try bed.database["c"].put(["n": 9])
            try bed.database["a"].purge()
            try expect(["9 - c"], mapped: ["c"])
            // Purged and created again: the new document counts, whether or not the index has seen the purge.
            try bed.database["c"].purge()
            try bed.database["c"].put(["n": 8])
            try expect(["8 - c"], mapped: ["c"])
            try bed.database["c"].purge()
            try expect([], mapped: [])
            try bed.database["c"].put(["n": 7])
            try expect(["7 - c"], mapped: ["c"])
            // Created and purged between two updates.
            try bed.database["d"].put(["n": 1])
            try bed.database["d"].purge()
            try bed.database["e"].put(["n": 1])
            try bed.database["e"].delete()
            try expect(["7 - c"], mapped: [])
            try expect(["7 - c"], mapped: [])
        }
    }

    @Test(arguments: Storage.all) func expiredDocumentsLeave(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try setMap(bed)
            for number in 0..<4 { try bed.database["\(number)"].put(["n": JSONValue(number)]) }
            #expect(try bed.view().query().lines().count == 4)
            for id in ["1", "3"] { try bed.database[id].setExpiration(Date(timeIntervalSince1970: 1)) }
            try bed.database.purgeExpiredDocuments()
            // The timer may have been quicker.
            #expect(try !bed.database["1"].exists && !bed.database["3"].exists)
            #expect(try bed.view().query().lines() == ["0 - 0", "2 - 2"])
        }
    }

    @Test(arguments: Storage.all) func theWinnerIsMapped(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try setMap(bed)
            var steps: [(String, () throws -> Void)] = []
            func step(_ lines: String, _ change: @escaping () throws -> Void) { steps.append((lines, change)) }
            step("2 - x") { try database.insert("x", ["2-b", "1-a"], ["n": 2]) }
            step("2 - x") { try database.insert("x", ["2-a", "1-a"], ["n": 1]) }
            step("3 - x") { try database.insert("x", ["2-c", "1-a"], ["n": 3]) }
            step("4 - x") { try database.insert("x", ["3-a", "2-a"], ["n": 4]) }
            step("3 - x") { try database.insert("x", ["4-a", "3-a"], [:], isDeleted: true) }
            step("2 - x") { try database["x"].resolveConflict(keeping: RevisionID("2-b")) }
            step("5 - x") { try database.insert("x", ["3-z", "2-b"], ["n": 5]) }
            step("6 - x") { try database.insert("x", ["3-zz", "2-b"], ["n": 6]) }
            step("7 - x") { try database["x"].resolveConflict(merging: ["n": 7], onto: RevisionID("3-z")) }
            step("") { try database["x"].delete() }
            step("8 - x") { try database.insert("x", ["9-y"], ["n": 8]) }
            step("9 - x") {
                try database.insert("x", ["1-y"], [:], isDeleted: true)
                try database.insert("x", ["10-x"], ["n": 9])
            }
            step("8 - x") { try database["x"].purge(revisions: [RevisionID("10-x")]) }
            step("") { try database["x"].deleteAllBranches() }
            for (number, (line, change)) in steps.enumerated() {
                try change()
                #expect(try bed.view().query().lines().joined() == line, "step \(number)")
            }
        }
    }

    /// If the same rows are emitted as before, the index's sequence advances, but its rows do not change.
    @Test(arguments: Storage.all) func rowsThatStayTheSameAreNoChange(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try setMap(bed)
            func expectChanged(_ isChanged: Bool, sourceLocation: SourceLocation = #_sourceLocation) throws {
                let before = try #require(try bed.view().status())
                try bed.view().updateIndex()
                let after = try #require(try bed.view().status())
                #expect(try after.lastSequence == bed.database.lastSequence, sourceLocation: sourceLocation)
                let expected = isChanged ? after.lastSequence : before.lastChangedSequence
                #expect(after.lastChangedSequence == expected, sourceLocation: sourceLocation)
            }
            try expectChanged(false)
            try bed.database["a"].put(["n": 1, "v": 1])
            try expectChanged(true)
            try bed.database["a"].update { $0["other"] = 1 }
            try expectChanged(false)
            try bed.database["b"].put(["other": 1])
            try expectChanged(false)
            try bed.database["b"].delete()
            try bed.database["c"].put([:])
            try bed.database["c"].purge()
            try expectChanged(false)
            try bed.database["a"].update { $0["v"] = 1.0 }
            try expectChanged(false)
            try bed.database["a"].update { $0["v"] = 2 }
            try expectChanged(true)
            try bed.database["a"].update { $0["v"] = nil }
            try expectChanged(true)
            try bed.database["a"].update { $0["v"] = .some(.null) }
            try expectChanged(true)
            try bed.database["a"].update { $0["n"] = 2 }
            try expectChanged(true)
            // Purged and created again with the same row.
            try bed.database["a"].purge()
            try bed.database["a"].put(["n": 2, "v": nil])
            try expectChanged(false)
            try bed.database["a"].delete()
            try expectChanged(true)
        }
    }

    @Test(arguments: Storage.all) func severalViewsShareAPass(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let (first, second) = (MapCounter(), MapCounter())
            func set(_ name: String, _ counter: MapCounter, _ factor: Int64) throws {
                try bed.view(name).setMap(version: "1") { document, emit in
                    counter.note(document)
                    emit(.int((document["n"]?.intValue ?? 0) * factor))
                }
            }
            try set("one", first, 1)
            try set("two", second, -1)
            for number in 0..<20 { try bed.database["\(number)"].put(["n": JSONValue(number)]) }
            try bed.view("one").updateIndex()
            #expect(first.take().count == 20)
            #expect(second.take() == [])
            for number in 20..<30 { try bed.database["\(number)"].put(["n": JSONValue(number)]) }
            // They are at different sequences; each is given what it lacks, once.
            try bed.database.updateIndexes(of: ["two", "one", "two"])
            #expect(first.take() == (20..<30).map(String.init))
            #expect(second.take() == (0..<30).map(String.init).sorted())
            let rising: [JSONValue] = (0..<30).map { JSONValue($0) }
            let falling: [JSONValue] = (-29...0).map { JSONValue($0) }
            #expect(try bed.view("one").query(update: .never).keyList() == rising)
            #expect(try bed.view("two").query(update: .never).keyList() == falling)
            expectError(.notFound) { try bed.database.updateIndexes(of: ["one", "none"]) }
            expectError(.badID) { try bed.database.updateIndexes(of: ["one", ""]) }
        }
    }

    /// A chunk of documents is mapped and written at a time.
    @Test(arguments: Storage.all) func moreDocumentsThanAChunkHolds(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let count = 10_000
            let counter = MapCounter()
            try setMap(bed, counter)
            try bed.database.put(
                (0..<count).map { (id: "\($0)", body: ["n": JSONValue($0 % 100), "v": JSONValue($0)]) }
            )
            try bed.database.inTransaction {
                for number in stride(from: 0, to: count, by: 10) { try bed.database["\(number)"].purge() }
            }
            let rows = try bed.view().query().run()
            #expect(rows.count == count * 9 / 10)
            #expect(counter.count == rows.count)
            #expect(Set(rows.map(\.documentID)).count == rows.count)
            #expect(zip(rows, rows.dropFirst()).allSatisfy { ($0.key.intValue ?? 0) <= ($1.key.intValue ?? 0) })
            #expect(rows.allSatisfy { $0.value.map { $0.description } == $0.documentID?.string })
            // And more than that change.
            try bed.database.inTransaction {
                for number in 0..<count where number % 10 != 0 { try bed.database["\(number)"].delete() }
                try bed.database["last"].put(["n": 1])
            }
            #expect(try bed.view().query().lines() == ["1 - last"])
            #expect(try bed.view().status()?.rowCount == 1)
        }
    }

    /// An update that is interrupted, here because the database is closed, is resumed where it stopped. What a first
    /// build has mapped in its first second is only in memory until then.
    @Test(arguments: Storage.plainPersistent) func anInterruptedUpdateGoesOn(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let count = 10_000
            var options = TestDatabase.options
            options.mappingThreads = 1
            options.storageType = type
            let database = try bed.manager.database(named: "other", options: options)
            try database.put((0..<count).map { (id: "\($0)", body: ["n": JSONValue($0)]) })
            let closer = OneTime { Background { try database.close() } }
            try database.view("view").setMap(version: "1") { document, emit in
                if document.sequence == 100 { Thread.sleep(forTimeInterval: 1.2) }
                if document.sequence == 9000 {
                    closer.run()
                    while database.isOpen {}
                }
                emit(document["n"])
            }
            expectError(.notOpen) { try database.view("view").updateIndex() }
            try closer.run().join()
            let again = try bed.manager.database(named: "other", options: options)
            let (view, second) = (again.view("view"), MapCounter())
            try view.setMap(version: "1") { document, emit in
                second.note(document)
                emit(document["n"])
            }
            #expect(try view.query(update: .never).run().isEmpty, "It serves nobody before it is complete.")
            #expect(try view.query().keyList() == (0..<count).map { JSONValue($0) })
            #expect(second.count <= count - 2000 && second.count >= count - 9000, "\(second.count) were mapped")
            #expect(try again.check().map(\.description) == [])
        }
    }

    @Test(arguments: Storage.all) func insideATransactionItFollowsTheTransaction(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try setMap(bed)
            try bed.database["a"].put(["n": 1])
            try bed.database.inTransaction {
                try bed.database["b"].put(["n": 2])
                #expect(try bed.view().status()?.isStale == true)
                #expect(try bed.view().query().lines() == ["1 - a", "2 - b"])
                #expect(try bed.view().status()?.isStale == false)
                try bed.database["a"].delete()
                #expect(try bed.view().status()?.isStale == true)
                #expect(try bed.view().query().lines() == ["2 - b"])
            }
            #expect(try bed.view().query(update: .never).lines() == ["2 - b"])
            for isBuilt in [true, false] {
                if !isBuilt { try bed.view().deleteIndex() }
                let before = try bed.view().status()
                expectApplicationError {
                    try bed.database.inTransaction {
                        try bed.database["b"].put(["n": 3], parent: bed.database["b"].read().id)
                        try bed.database["c"].put(["n": 4])
                        #expect(try bed.view().query().lines() == ["3 - b", "4 - c"])
                        throw ApplicationError()
                    }
                }
                #expect(try bed.view().status() == before)
                // The same sequences are used for other documents.
                try bed.database["d"].put(["n": 5])
                #expect(try bed.view().query().lines() == ["2 - b", "5 - d"])
                try bed.database["d"].purge()
                #expect(try bed.view().query().lines() == ["2 - b"])
            }
        }
    }

    /// What `read` showed inside a transaction that is rolled back must not be remembered.
    @Test(arguments: Storage.all) func readInsideATransactionSeesItAndLeavesNothing(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try setMap(bed)
            try bed.database["a"].put(["n": 1])
            expectApplicationError {
                try bed.database.inTransaction {
                    try bed.database["b"].put(["n": 2])
                    try bed.database.read { (_) throws in
                        #expect(try bed.view().query().lines() == ["1 - a", "2 - b"])
                    }
                    throw ApplicationError()
                }
            }
            try bed.database["c"].put(["n": 3])
            try bed.database.read { (_) throws in
                #expect(try bed.view().query().lines() == ["1 - a", "3 - c"])
            }
            #expect(try bed.view().query().lines() == ["1 - a", "3 - c"])
        }
    }

    @Test(arguments: Storage.all) func manyThreadsUpdateAndWrite(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let counter = MapCounter()
            try setMap(bed, counter)
            let database = bed.database
            try onThreads(4) { number in
                for round in 0..<25 {
                    try database["\(number)-\(round)"].put(["n": JSONValue(number * 100 + round)])
                    let rows = try database.view("view").query().sources()
                    #expect(
                        (0...round).allSatisfy { rows.contains("\(number)-\($0)") == ($0 % 5 < 4 || $0 == round) },
                        "Each sees what it wrote."
                    )
                    if round % 5 == 4 { try database["\(number)-\(round)"].purge() }
                }
            }
            #expect(try bed.view().query().run().count == 80)
            #expect(counter.take().count <= 100, "Nobody maps what another one does.")
        }
    }

    /// Compaction keeps indexes, and forgets only purges that they have seen.
    @Test(arguments: Storage.all) func compactionKeepsWhatIndexesNeed(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let counter = MapCounter()
            try setMap(bed, counter)
            for number in 0..<10 { try bed.database["\(number)"].put(["n": JSONValue(number)]) }
            try bed.view().updateIndex()
            for number in 0..<5 { try bed.database["\(number)"].purge() }
            _ = counter.take()
            for round in 0..<2 {
                try bed.database.compact()
                #expect(try bed.view().query(update: .never).run().count == (round == 0 ? 10 : 5))
                #expect(try bed.view().query().sources() == ["5", "6", "7", "8", "9"])
                #expect(counter.take() == [])
            }
        }
    }

    /// A copy has the indexes; a database imported from an export has the definitions, but no indexes.
    @Test(arguments: Storage.persistent) func copiesAndExports(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let counter = MapCounter()
            try setMap(bed, counter)
            let definition = ViewDefinition(keys: [try JSONPointer("/n")])
            try bed.view("defined").define(definition)
            for number in 0..<10 { try bed.database["\(number)"].put(["n": JSONValue(number)]) }
            let keys = (0..<10).map { JSONValue($0) }
            for name in ["view", "defined"] { #expect(try bed.view(name).query().keyList() == keys) }
            _ = counter.take()
            let url = bed.folder.url.appending(path: "copy")
            try bed.database.copy(to: url)
            let export = try ExportText(bed.database)
            try bed.replace(by: url)
            try setMap(bed, counter)
            #expect(try bed.view().query().keyList() == keys)
            #expect(counter.take() == [])
            #expect(try bed.view("defined").query(update: .never).keyList() == keys)

            let other = try TestDatabase(type)
            try setMap(other, counter)
            try other.view().updateIndex()
            try export.importer(in: other.folder.url).run(into: other.database)
            #expect(try other.view("defined").definition() == definition)
            for name in ["view", "defined"] { #expect(try other.view(name).query().keyList() == keys) }
            #expect(counter.take().count == 10)
            #expect(try other.database.check().map(\.description) == [])
            try other.manager.close()
        }
    }

    /// An index's rows can be removed, and so can a view as a whole.
    @Test(arguments: Storage.all) func deletingIndexAndView(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            #expect(try bed.view().status() == nil)
            try bed.view().deleteIndex()
            try bed.view().delete()
            try setMap(bed)
            try bed.database["a"].put(["n": 1])
            try bed.view().updateIndex()
            try bed.view().deleteIndex()
            #expect(try bed.view().status()?.rowCount == 0)
            #expect(try bed.view().query(update: .never).run().isEmpty)
            #expect(try bed.view().query().lines() == ["1 - a"])
            #expect(try bed.database.viewNames() == ["view"])
            try bed.view().delete()
            #expect(try bed.database.viewNames() == [])
            #expect(try bed.view().status() == nil)
            expectError(.notFound) { try bed.view().query().run() }
            expectError(.notFound) { try bed.view().query(update: .never).run() }
            expectError(.notFound) { try bed.view().updateIndex() }
            try setMap(bed)
            #expect(try bed.view().query().lines() == ["1 - a"])
        }
    }

    @Test(arguments: Storage.all) func namesAreBytes(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let long = String(repeating: "x", count: 255)
            let names = ["a/b", "café", "cafe\u{301}", " ", long]
            try bed.database["a"].put([:])
            for name in names {
                try bed.view(name).setMap(version: "1") { _, emit in emit(.string(name)) }
            }
            for name in names { #expect(try bed.view(name).query().keyList() == [.string(name)]) }
            let sorted = names.map(bytes).sorted { $0.lexicographicallyPrecedes($1) }
            #expect(try bed.database.viewNames().map(bytes) == sorted)
            for name in ["", long + "x", "a\u{0}"] {
                expectError(.badID) { try bed.view(name).setMap(version: "1") { _, _ in } }
                expectError(.badID) { try bed.view(name).query().run() }
                expectError(.badID) { try bed.view(name).status() }
                expectError(.badID) { try bed.view(name).delete() }
            }
        }
    }
}
