import Foundation
import Settee
import SetteeTestSupport
import Testing

@testable import SetteeEngine

/// References that do not keep a database alive, and do not make retaining it dearer either.
@Suite struct DatabaseReferenceTests {
    /// Whether the counts of an object are in a side table: then both upper bits of the word after its class are set.
    private func hasSideTable(_ object: AnyObject) -> Bool {
        let counts = Unmanaged.passUnretained(object).toOpaque().load(fromByteOffset: 8, as: UInt64.self)
        return counts >> 62 == 3
    }

    /// One weak reference is enough to make each retain of a database three times as slow.
    @Test(.enabled(if: MemoryLayout<Int>.size == 8), arguments: Storage.all)
    func nothingRefersToADatabaseWeakly(_ type: StorageType) async throws {
        try await withDatabase(type) { (bed) async throws in
            let database = bed.database
            let listener = database.addChangeListener { _ in }
            try database["a"].put(["n": 1])
            try database["a"].expires(in: 3600)
            let view = database.view("n")
            try view.setMap(version: "1") { document, emit in emit(document["n"], nil) }
            #expect(try view.query().run().count == 1)
            try view.deleteIndex()
            _ = try database.models.model(id: "a")
            try database.models.saveAll()
            try database.compact()
            for await _ in database.changes(following: 0) { break }
            let other = try bed.manager.database(named: "test", options: .init(busyTimeout: .seconds(7)))
            #expect(other !== database)
            _ = try other.models.model(id: "a")
            #expect(!hasSideTable(database) && !hasSideTable(other))
            listener.remove()
            // This is how one would show.
            weak let weakly = other
            #expect(weakly != nil && hasSideTable(other))
        }
    }

    @Test(arguments: Storage.plainPersistent)
    func aReferenceMayBeAskedWhileTheDatabaseGoes(_ type: StorageType) throws {
        let folder = try TemporaryFolder()
        for round in 0..<100 {
            let reference: DatabaseReference
            let hasBegun = DispatchSemaphore(value: 0)
            let hasEnded = DispatchSemaphore(value: 0)
            do {
                let manager = try Manager(directory: folder.url, options: .init(storageType: type))
                let database = try manager.database(named: "test", options: TestDatabase.options)
                reference = database.reference
                Thread.detachNewThread {
                    hasBegun.signal()
                    while let present = reference.database { _ = present.isOpen }
                    hasEnded.signal()
                }
                hasBegun.wait()
                try database["round \(round)"].put([:])
            }
            #expect(hasEnded.wait(timeout: .now() + 30) == .success)
            #expect(reference.database == nil)
        }
        let manager = try Manager(directory: folder.url)
        #expect(try manager.database(named: "test").documentCount == 100)
        try manager.close()
    }

    /// A reference to a closed database still finds it, as long as it is used.
    @Test(arguments: Storage.plain) func aClosedDatabaseIsFoundUntilItIsReleased(_ type: StorageType) throws {
        let bed = try TestDatabase(type)
        let reference = bed.database.reference
        try bed.database.close()
        #expect(reference.database?.isOpen == false)
        #expect(reference.database === bed.database)
        try bed.manager.close()
    }
}
