import Foundation
import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

/// The first build of an index: documents are mapped into memory and their rows written in order, while other work
/// continues.
@Suite struct FirstBuildTests {
    private static let count = 1000

    private func fill(_ database: Database, ids: (Int) -> String = { "d\($0)" }) throws {
        try database.put((0..<FirstBuildTests.count).map { (id: ids($0), body: ["n": JSONValue($0 * 7919 % 1000)]) })
    }

    /// A map function that stops in the middle of the first build until the gate is opened.
    private func setMap(_ view: DatabaseView, version: String = "1", _ reached: Gate, _ goOn: Gate) throws {
        let isFirst = Locked(true)
        try view.setMap(version: version) { document, emit in
            if document.id == "d500", isFirst.withLock({ $0.take() }) {
                reached.open()
                goOn.wait()
            }
            emit(document["n"], .string(version))
        }
    }

    /// IDs in no order, several rows of a document, documents without any, several views in one pass.
    @Test(arguments: Storage.every) func allRowsAreThereWhateverTheOrderOfIDs(_ type: StorageType) throws {
        for isOrdered in [true, false] {
            try withDatabase(type) { (bed) throws in
                try fill(bed.database) { isOrdered ? String(1000 + $0) : String($0 * 311 % 1000) }
                try bed.view("a").setMap(version: "1") { document, emit in emit(document["n"]) }
                try bed.view("b").setMap(version: "1", reduce: .count) { document, emit in
                    for number in 0..<(document["n"]?.intValue ?? 0) % 4 { emit(JSONValue(number), document["n"]) }
                }
                try bed.database.updateIndexes(of: ["a", "b"])
                #expect(try bed.view("a").query(update: .never).keyList() == (0..<1000).map { JSONValue($0) })
                let grouped = bed.view("b").query().with { $0.group = true }
                #expect(try grouped.run().map(\.value) == [750, 500, 250])
                #expect(try bed.view("b").status()?.rowCount == 1500)
                try bed.reopen()
                #expect(try bed.database.check().map(\.description) == [])
            }
        }
    }

    @Test(arguments: Storage.every) func whatChangesMeanwhileIsFollowed(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let (database, view) = (bed.database, bed.view())
            try fill(database)
            let (reached, goOn) = (Gate(), Gate())
            try setMap(view, reached, goOn)
            let build = Background { try view.updateIndex() }
            reached.wait()
            // Writers are not held up, and nobody reads an incomplete index.
            for number in stride(from: 0, to: FirstBuildTests.count, by: 3) {
                switch number % 4 {
                case 0: try database["d\(number)"].update { $0["n"] = 5000 }
                case 1: try database["d\(number)"].delete()
                case 2: try database["d\(number)"].purge()
                default: try database["new\(number)"].put(["n": 6000])
                }
            }
            #expect(try view.query(update: .never).run().count == 0)
            #expect(try database.check().map(\.description) == [])
            goOn.open()
            try build.join()
            var all = database.allDocumentsQuery()
            all.includeDocs = true
            let expected = try all.run().compactMap { try $0.document?["n"]?.intValue }
            #expect(try view.query().keyList() == expected.sorted().map { JSONValue($0) })
        }
    }

    @Test(arguments: Storage.every) func aTransactionDoesNotWaitForIt(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let (database, view) = (bed.database, bed.view())
            try fill(database)
            let (reached, goOn) = (Gate(), Gate())
            try setMap(view, reached, goOn)
            let build = Background { try view.updateIndex() }
            reached.wait()
            try database.inTransaction {
                try database["own"].put(["n": -1])
                #expect(try view.query().first()?.key == -1)
                #expect(try view.query().run().count == FirstBuildTests.count + 1)
            }
            goOn.open()
            try build.join()
            #expect(try view.query().run().count == FirstBuildTests.count + 1)
        }
    }

    @Test(arguments: Storage.every) func aViewThatIsSetAnewMeanwhileHasTheNewRows(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let view = bed.view()
            try fill(bed.database)
            let (reached, goOn) = (Gate(), Gate())
            try setMap(view, reached, goOn)
            let build = Background { try? view.updateIndex() }
            reached.wait()
            try view.setMap(version: "2") { document, emit in emit(document["n"], "2") }
            goOn.open()
            #expect(try view.query().run().map(\.value) == Array(repeating: "2", count: FirstBuildTests.count))
            try build.join()
            #expect(try view.query().run().map(\.value) == Array(repeating: "2", count: FirstBuildTests.count))
        }
    }

    @Test(arguments: Storage.every) func anIndexThatIsDeletedMeanwhileIsMadeAgain(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let view = bed.view()
            try fill(bed.database)
            let (reached, goOn) = (Gate(), Gate())
            try setMap(view, reached, goOn)
            let build = Background { try view.updateIndex() }
            reached.wait()
            try view.deleteIndex()
            goOn.open()
            try build.join()
            #expect(try view.query(update: .never).run().count == FirstBuildTests.count)
        }
    }

    /// A writer with long transactions and no pauses takes precedence, but not for ever.
    @Test(arguments: Storage.every) func itGetsItsShareBesideLongTransactions(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let (database, view) = (bed.database, bed.view())
            for start in stride(from: 0, to: 20_000, by: 1000) {
                try database.put((start..<start + 1000).map { (id: "d\($0)", body: ["n": JSONValue($0)]) })
            }
            try view.setMap(version: "1") { document, emit in emit(document["n"]) }
            let isOver = Locked(false)
            let commits = Locked(0)
            let writer = Background {
                while !isOver.withLock({ $0 }) {
                    try database.inTransaction {
                        try database["other"].update { $0["turn"] = JSONValue(Int.random(in: 0..<1_000_000)) }
                        Thread.sleep(forTimeInterval: 0.02)
                    }
                    commits.withLock { $0 += 1 }
                }
            }
            try expectEventually { commits.withLock { $0 } > 0 }
            try view.updateIndex()
            isOver.withLock { $0 = true }
            try writer.join()
            #expect(try view.query().run().count == 20_000)
            #expect(commits.withLock { $0 } < 400, "160 parts of 256 rows and records, each behind one transaction")
        }
    }

    /// Another opening of the database left an index half filled, and no longer exists, or does nothing any more.
    @Test(arguments: Storage.everyPersistent) func whatIsHalfFilledIsMadeAnew(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try fill(bed.database)
            let (reached, goOn) = (Gate(), Gate())
            try setMap(bed.view(), reached, goOn)
            let old = bed.view()
            let build = Background { #expect(throws: StorageError.self) { try old.updateIndex() } }
            reached.wait()
            let closing = Background { [database = bed.database] in try database.close() }
            try expectEventually { !bed.database.isOpen }
            goOn.open()
            try build.join()
            try closing.join()
            try bed.reopen()
            #expect(try bed.database.check().map(\.description) == [])
            try bed.view().setMap(version: "1") { document, emit in emit(document["n"]) }
            #expect(try bed.view().query(update: .never).run().count == 0)
            #expect(try bed.view().query().run().count == FirstBuildTests.count)
        }
    }
}

extension Bool {
    /// Returns the value, and sets it to false.
    fileprivate mutating func take() -> Bool {
        defer { self = false }
        return self
    }

    /// An index that was made in a transaction and not updated in it: nobody is filling it, and it has processed no
    /// sequence.
    @Test(arguments: Storage.every) func anIndexThatHasSeenNothingIsFilled(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let (database, view, engine) = (bed.database, bed.view(), try bed.engine())
            try database.put((0..<10).map { (id: "\($0)", body: ["n": JSONValue($0)]) })
            try view.setMap(version: "1") { document, emit in emit(document["n"]) }
            try view.updateIndex()
            try engine.write { (transaction) throws(StorageError) in
                guard let name = try transaction.indexNames().first, var state = try transaction.indexState(name) else {
                    return
                }
                try transaction.dropIndex(name)
                (state.lastSequence, state.lastChangedSequence, state.rowCount) = (0, 0, 0)
                try transaction.setIndexState(name, state)
            }
            #expect(try view.query().keyList() == (0..<10).map { JSONValue($0) })
        }
    }

    /// Two processes used to fill the same index, each continuing where the first run of one of them had ended: rows
    /// were found that should not have been there (591).
    @Test(arguments: Storage.every) func whatAnotherHasBegunToFillMeanwhileIsLeftToIt(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let (database, view, engine) = (bed.database, bed.view(), try bed.engine())
            try database.put((0..<10).map { (id: "\($0)", body: ["n": JSONValue($0)]) })
            let interrupts = Locked(false)
            try view.setMap(version: "1") { document, emit in
                if interrupts.withLock({ $0.take() }) {
                    try? engine.changeRecord { $0["filler"] = "another" }
                }
                emit(document["n"])
            }
            try view.updateIndex()
            let index = try engine.read { (transaction) throws(StorageError) in try transaction.indexNames() }
            // As left by a first run that had no time for all documents.
            try database.put((10..<20).map { (id: "\($0)", body: ["n": JSONValue($0)]) })
            try engine.changeRecord { $0["fresh"] = JSONValue(20) }
            interrupts.withLock { $0 = true }
            try view.updateIndex()
            #expect(interrupts.withLock { $0 } == false)
            // The other process is no longer there, so the index is rebuilt.
            #expect(try engine.read { (tx) throws(StorageError) in try tx.indexNames() } != index)
            #expect(try view.query(update: .never).keyList() == (0..<20).map { JSONValue($0) })
        }
    }
}

extension StorageEngine {
    /// Changes what is stored of the one index of the view.
    fileprivate func changeRecord(_ change: (inout JSONValue) -> Void) throws {
        try write { (transaction) throws(StorageError) in
            guard let bytes = try transaction.info("index/view"), var record = try? JSONValue(parsing: bytes),
                var index = record["indexes"]?[0]
            else { return }
            change(&index)
            record["indexes"] = .array([index])
            try transaction.setInfo(record.canonicalBytes(), for: "index/view")
        }
    }
}
