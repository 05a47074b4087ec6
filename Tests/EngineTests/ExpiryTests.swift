import Foundation
import Settee
import SetteeTestSupport
import Testing

/// Documents that expire, without the timer's part.
@Suite struct ExpiryTests {
    /// Far enough away that no timer comes into play.
    private static let later = Date(timeIntervalSince1970: 4_000_000_000.123)

    @Test(arguments: Storage.all) func aDateIsSetReadAndClearedWithoutARevision(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["note"]
            let revision = try document.put(["n": 1])
            #expect(try document.expiration == nil)
            #expect(try bed.database.nextExpiry == nil)
            try document.setExpiration(Self.later)
            #expect(try document.expiration == Self.later)
            #expect(try bed.database.nextExpiry == Self.later)
            #expect(try document.revision()?.id == revision.id)
            #expect(try bed.database.lastSequence == 1)
            try bed.reopen()
            let reopened = bed.database["note"]
            #expect(try reopened.expiration == Self.later)
            try reopened.setExpiration(nil)
            #expect(try reopened.expiration == nil)
            #expect(try bed.database.nextExpiry == nil)
            #expect(try bed.database.lastSequence == 1)
        }
    }

    @Test(arguments: Storage.all) func theNextExpiryIsTheSoonest(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            for (number, id) in ["a", "b", "c"].enumerated() {
                try bed.database[id].put([:])
                try bed.database[id].setExpiration(Self.later.addingTimeInterval(-Double(number)))
            }
            #expect(try bed.database.nextExpiry == Self.later.addingTimeInterval(-2))
            try bed.database["c"].purge()
            #expect(try bed.database.nextExpiry == Self.later.addingTimeInterval(-1))
            try bed.database["b"].setExpiration(nil)
            #expect(try bed.database.nextExpiry == Self.later)
        }
    }

    @Test(arguments: Storage.all) func revisionsAndTombstonesKeepTheDate(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["note"]
            try document.put([:])
            try document.setExpiration(Self.later)
            try document.update { $0["n"] = 2 }
            #expect(try document.expiration == Self.later)
            try document.delete()
            #expect(try document.expiration == Self.later)
            try document.put(["again": true])
            #expect(try document.expiration == Self.later)
            try document.purge()
            #expect(try document.expiration == nil)
            try document.put([:])
            #expect(try document.expiration == nil, "A new document of the same ID begins without a date.")
        }
    }

    @Test(arguments: Storage.all) func intervalsCountFromNow(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["note"]
            try document.put([:])
            let before = Date()
            try document.expires(in: 3600.5)
            let first = try #require(try document.expiration)
            #expect(first.timeIntervalSince(before) >= 3600.49 && first.timeIntervalSince(before) < 3660)
            try document.expires(in: .milliseconds(7_200_000))
            let second = try #require(try document.expiration)
            #expect(second.timeIntervalSince(before) >= 7199.9 && second.timeIntervalSince(before) < 7260)
            // A century is no problem for the timer either.
            try document.expires(in: .seconds(100 * 366 * 86_400))
            #expect(try #require(try document.expiration) > Date(timeIntervalSinceNow: 99 * 365 * 86_400))
            try document.setExpiration(.distantFuture)
            #expect(try document.expiration == .distantFuture)
            #expect(try bed.database["note"].exists)
        }
    }

    @Test(arguments: Storage.all) func whatIsDueIsPurgedAndTakesASequenceEach(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database.inTransaction {
                for number in 0..<1203 {
                    let document = database["d\(number)"]
                    try document.put(["n": .int(Int64(number))])
                    if number == 7 { try document.update { $0["again"] = true } }
                    if number == 8 { try document.delete() }
                    if number < 1201 { try document.setExpiration(.distantPast) }
                }
                try database["d1201"].setExpiration(Self.later)
                // Nothing is committed yet, so the timer knows of nothing.
                #expect(try database.purgeExpiredDocuments() == 1201)
            }
            #expect(try database.allDocuments(.init(includeDeleted: true)).ids() == ["d1201", "d1202"])
            #expect(try database.documentCount == 2)
            #expect(try database.lastSequence == 1205 + 1201)
            #expect(try database.purgeExpiredDocuments() == 0)
            #expect(try database.nextExpiry == Self.later)
        }
    }

    @Test(arguments: Storage.all) func aRollbackTakesTheDateBack(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database["note"].put([:])
            expectApplicationError(3) {
                try bed.database.inTransaction {
                    try bed.database["note"].setExpiration(Date(timeIntervalSinceNow: -1))
                    #expect(try bed.database["note"].expiration != nil)
                    throw ApplicationError(number: 3)
                }
            }
            #expect(try bed.database["note"].expiration == nil)
            #expect(try bed.database["note"].exists)
        }
    }

    @Test(arguments: Storage.all) func whatCannotExpireIsRefused(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            expectError(.notFound) { try database["missing"].setExpiration(Self.later) }
            expectError(.notFound) { try database["missing"].setExpiration(nil) }
            #expect(try database["missing"].expiration == nil)
            try database["_local/a"].put([:])
            expectError(.badID) { try database["_local/a"].setExpiration(Self.later) }
            expectError(.badID) { try database["_local/a"].expiration }
            expectError(.badID) { try database["_bad"].setExpiration(Self.later) }
            try database["note"].put([:])
            for seconds in [Double.nan, .infinity, -.infinity, 1e300, -1e300, 1e16] {
                expectError(.badParameter, "\(seconds)") {
                    try database["note"].setExpiration(Date(timeIntervalSince1970: seconds))
                }
                expectError(.badParameter, "\(seconds)") { try database["note"].expires(in: seconds) }
            }
            expectError(.badParameter) { try database["note"].expires(in: .seconds(Int64.max)) }
            #expect(try database["note"].expiration == nil)
            try database.read { (_) throws in
                expectError(.callback) { try database["note"].setExpiration(Self.later) }
                expectError(.callback) { try database.purgeExpiredDocuments() }
            }
            try database.close()
            expectError(.notOpen) { try database["note"].setExpiration(Self.later) }
            expectError(.notOpen) { try database.nextExpiry }
        }
    }
}
