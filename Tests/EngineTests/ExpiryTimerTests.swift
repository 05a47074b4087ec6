import Foundation
import Settee
import SetteeProgramSupport
import SetteeTestSupport
import StorageProtocol
import Testing

/// The timer that purges expired documents, and who purges if several processes have the database open.
@Suite struct ExpiryTimerTests {
    @Test(arguments: Storage.all) func documentsGoWhenTheirTimeComes(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            for id in ["past", "soon", "later", "never"] { try database[id].put([:]) }
            try database["past"].setExpiration(Date(timeIntervalSince1970: 1))
            try database["soon"].expires(in: 0.2)
            try database["later"].expires(in: .seconds(3600))
            try expectEventually { try database.allDocuments().ids() == ["later", "never"] }
            #expect(try database["past"].revision() == nil)
            #expect(try database.lastSequence == 6)
            #expect(try database["later"].exists)
        }
    }

    @Test(arguments: Storage.all) func observersAreTold(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database["a"].put([:])
            let seen = Locked<[DocumentChange]>([])
            let listener = database.addChangeListener { change in
                if case .document(let change) = change { seen.withLock { $0.append(change) } }
            }
            try database["a"].expires(in: 0.05)
            try expectEventually { seen.withLock { !$0.isEmpty } }
            let change = try #require(seen.withLock { $0.first })
            #expect(change.kind == .expired)
            #expect(change.documentID.string == "a")
            #expect(change.sequence == 2)
            #expect(!change.isExternal)
            listener.remove()
        }
    }

    @Test(arguments: Storage.all) func aSoonerDateWakesTheTimerSooner(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database["late"].put([:])
            try database["late"].expires(in: .seconds(3600))
            for number in 0..<20 {
                try database["d\(number)"].put([:])
                try database["d\(number)"].expires(in: 0.5 - Double(number) * 0.02)
            }
            try expectEventually { try database.documentCount == 1 }
            // A document whose expiry was postponed stays.
            try database["late"].expires(in: 0.3)
            try database["late"].setExpiration(.distantFuture)
            try database["next"].put([:])
            try database["next"].expires(in: 0.5)
            try expectEventually { try database["next"].revision() == nil }
            #expect(try database["late"].exists)
        }
    }

    @Test(arguments: Storage.plainPersistent) func whatExpiredWhileNobodyLookedGoesAtOpen(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database["a"].put([:])
            try bed.database["b"].put([:])
            try bed.database["b"].expires(in: .seconds(3600))
            // As if it had expired while the database was closed: the timer does not notice changes below the database.
            try bed.engine().write { (transaction) throws(StorageError) in
                try transaction.setExpiration(1000, of: DocumentID("a"))
            }
            let other = try Manager(directory: bed.folder.url, options: .init(readOnly: true))
            try bed.database.close()
            let reader = try other.database(named: "test")
            #expect(try reader["a"].exists, "Nothing is purged by one who cannot write.")
            #expect(try reader.nextExpiry == Date(timeIntervalSince1970: 1))
            expectError(.readOnly) { try reader.purgeExpiredDocuments() }
            expectError(.readOnly) { try reader["a"].setExpiration(nil) }
            try reader.close()
            try bed.reopen()
            #expect(try bed.database.allDocuments().ids() == ["b"])
        }
    }

    @Test(arguments: Storage.plainShared) func whatAnotherProcessSetsIsNoticed(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let path = try #require(bed.database.path)
            try bed.database["a"].put([:])
            let outcome = try Child(["expire", path, "a", "--in", "0.1"], input: []).wait()
            #expect(outcome.status == 0, "\(outcome.errors)")
            try expectEventually { try bed.database["a"].revision() == nil }
        }
    }

    @Test(arguments: Storage.plainPersistent) func theTimerDoesNotKeepADatabaseAlive(_ type: StorageType) throws {
        let bed = try TestDatabase(type)
        try bed.database["a"].put([:])
        try bed.database["a"].expires(in: 0.4)
        weak var gone: Database?
        do {
            let other = try Manager(directory: bed.folder.url)
            let second = try other.database(named: "second")
            try second["a"].put([:])
            try second["a"].expires(in: .seconds(3600))
            gone = second
        }
        #expect(gone == nil)
        try bed.database.close()
        let end = ContinuousClock.now + .milliseconds(600)
        let reader = try Manager(directory: bed.folder.url, options: .init(readOnly: true)).database(named: "test")
        while ContinuousClock.now < end { #expect(try reader["a"].exists, "A closed database purges nothing.") }
        try reader.close()
    }

    /// Three processes have the database open; each document is purged once, or the sequences would show it.
    @Test(arguments: Storage.plainShared) func exactlyOneProcessPurges(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let path = try #require(database.path)
            let count = 1500
            try database.inTransaction { for number in 0..<count { try database["d\(number)"].put([:]) } }
            let others = try (0..<2).map { number -> Conversation in
                let other = try Conversation(["import", path, "-", "--report-batches", "--durability", "normal"])
                try other.send((0...1000).map { #"{"_id":"other-\#(number)-\#($0)"}"# + "\n" }.joined())
                #expect(other.nextLine() == #"{"committed":1000}"#)
                return other
            }
            let before = try database.lastSequence
            let time = Date(timeIntervalSinceNow: 0.5)
            try database.inTransaction { for number in 0..<count { try database["d\(number)"].setExpiration(time) } }
            try expectEventually { try database.nextExpiry == nil }
            #expect(try database.documentCount == 2000)
            #expect(try database.lastSequence == before + UInt64(count))
            for other in others { #expect(try other.finish() == 0) }
            // The rest of each import was saved afterwards.
            #expect(try database.lastSequence == before + UInt64(count) + 2)
        }
    }

    @Test(arguments: Storage.all) func manyThreadsThatPurgeDoItOnce(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database.inTransaction {
                for number in 0..<300 {
                    try database["d\(number)"].put([:])
                    try database["d\(number)"].setExpiration(Date(timeIntervalSince1970: Double(number)))
                }
            }
            DispatchQueue.concurrentPerform(iterations: 4) { _ in _ = try? database.purgeExpiredDocuments() }
            #expect(try database.documentCount == 0)
            #expect(try database.lastSequence == 600)
        }
    }
}
