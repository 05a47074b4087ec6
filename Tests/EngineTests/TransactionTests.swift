import Foundation
import Settee
import SetteeTestSupport
import Synchronization
import Testing

/// Transactions are atomic, make one commit, and belong to the calling thread.
@Suite struct TransactionTests {
    @Test(arguments: Storage.every) func everythingInsideIsOneCommit(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let answer = try database.inTransaction {
                for number in 1...10 { try database["d\(number)"].put([:]) }
                try database["d1"].delete()
                try database["d2"].purge()
                #expect(try database.documentCount == 8)
                #expect(try database.lastSequence == 12)
                #expect(try database.allDocuments().rows().count == 8)
                return 42
            }
            #expect(answer == 42)
            try bed.reopen()
            #expect(try bed.database.documentCount == 8)
            #expect(try bed.database.lastSequence == 12)
        }
    }

    @Test(arguments: Storage.every) func anErrorRollsEverythingBack(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let kept = try database["kept"].put(["n": 1])
            try database["_local/kept"].put(["n": 1])
            expectApplicationError(3) {
                try database.inTransaction {
                    try database["kept"].put(["n": 2], parent: kept.id)
                    try database["new"].put([:])
                    try database["kept"].purge()
                    try database["_local/kept"].put(["n": 2])
                    try database["_local/new"].put([:])
                    #expect(try database.documentCount == 1)
                    #expect(try database.lastSequence == 4)
                    throw ApplicationError(number: 3)
                }
            }
            for _ in 1...2 {
                #expect(try bed.database.documentCount == 1)
                #expect(try bed.database.lastSequence == 1)
                #expect(try bed.database["kept"].read().id == kept.id)
                #expect(try bed.database["new"].revision() == nil)
                #expect(try bed.database["_local/kept"]["n"] == 1)
                #expect(try bed.database["_local/new"].revision() == nil)
                #expect(try bed.database.changes(since: 0).ids() == ["kept"])
                try bed.reopen()
            }
            #expect(try bed.database["new"].put([:]).sequence == 2)
        }
    }

    @Test(arguments: Storage.every) func nestedOnesJoin(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database.inTransaction {
                try database["a"].put([:])
                try database.inTransaction {
                    #expect(try database["a"].exists)
                    try database.inTransaction { try database["b"].put([:]) }
                }
                try Background { () throws in #expect(try database.documentCount == 0) }.join()
            }
            #expect(try database.documentCount == 2)
            expectApplicationError {
                try database.inTransaction {
                    try database.inTransaction { try database["c"].put([:]) }
                    throw ApplicationError()
                }
            }
            #expect(try database.documentCount == 2)
        }
    }

    @Test(arguments: Storage.every) func anErrorThroughANestedOneDoomsTheOuter(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            expectApplicationError(1) {
                try database.inTransaction {
                    try database["outer"].put([:])
                    do {
                        try database.inTransaction {
                            try database["inner"].put([:])
                            throw ApplicationError(number: 1)
                        }
                    } catch is ApplicationError {}
                    try database["after"].put([:])
                }
            }
            #expect(try database.lastSequence == 0)
            #expect(try database.allDocuments().ids() == [])
        }
    }

    /// The first reason is the one that is reported.
    @Test(arguments: Storage.every) func aDoomedTransactionKeepsItsFirstReason(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            expectApplicationError(1) {
                try database.inTransaction {
                    for number in 1...2 {
                        try? database.inTransaction {
                            try database["x\(number)"].put([:])
                            throw ApplicationError(number: number)
                        }
                    }
                }
            }
        }
    }

    @Test(arguments: Storage.every) func anInnerErrorBeforeAnyWriteDoesNot(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database.inTransaction {
                try database["outer"].put([:])
                try? database.inTransaction { throw ApplicationError() }
                try? database.inTransaction {
                    #expect(try database["outer"].exists)
                    try database["outer"].put([:])
                }
            }
            #expect(try database.documentCount == 1)
        }
    }

    @Test(arguments: Storage.every) func aRefusalThatIsCaughtDoesNotDoom(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database.inTransaction {
                let first = try database["x"].put(["n": 1])
                expectError(.conflict) { try database["x"].put(["n": 2]) }
                expectError(.badJSON) { try database["x"].put(json: "{") }
                expectError(.badID) { try database["_x"].put([:]) }
                expectError(.notFound) { try database["y"].delete() }
                expectError(.callback) { try database.close() }
                try database["x"].put(["n": 3], parent: first.id)
            }
            #expect(try database["x"]["n"] == 3)
            #expect(try database.lastSequence == 2)
        }
    }

    @Test(arguments: Storage.every) func otherThreadsDoNotJoinAndWait(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let isDone = Atomic(false)
            var writer: Background?
            try database.inTransaction {
                try database["x"].put([:])
                writer = Background {
                    try database["other"].put([:])
                    let waited = isDone.load(ordering: .sequentiallyConsistent)
                    #expect(waited)
                    #expect(try database["x"].exists)
                }
                // Readers do not wait, and see the last commit.
                try Background { () throws in #expect(try database["x"].revision() == nil) }.join()
                try database["y"].put([:])
                #expect(try database["other"].revision() == nil)
                isDone.store(true, ordering: .sequentiallyConsistent)
            }
            try writer?.join()
            #expect(try database["other"].read().sequence == 3)
        }
    }

    @Test(arguments: Storage.plain) func transactionsOfTwoDatabasesMixOnOneThread(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let first = bed.database
            let second = try bed.manager.database(named: "second")
            expectApplicationError {
                try first.inTransaction {
                    try first["x"].put([:])
                    try second.inTransaction { try second["y"].put([:]) }
                    try second["z"].put([:])
                    throw ApplicationError()
                }
            }
            #expect(try first.documentCount == 0)
            #expect(try second.documentCount == 2)
        }
    }

    @Test(arguments: Storage.every) func anEmptyTransactionChangesNothing(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database.inTransaction {}
            #expect(try bed.database.lastSequence == 0)
            #expect(try bed.database["x"].put([:]).sequence == 1)
        }
    }

    @Test(arguments: Storage.every) func aLargeTransactionRollsBackAndCommits(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            func fill() throws { for number in 0..<2000 { try database["d\(number)"].put(["n": .int(Int64(number))]) } }
            expectApplicationError {
                try database.inTransaction {
                    try fill()
                    throw ApplicationError()
                }
            }
            #expect(try database.documentCount == 0)
            try database.inTransaction { try fill() }
            #expect(try database.documentCount == 2000)
            #expect(try database.lastSequence == 2000)
        }
    }
}
