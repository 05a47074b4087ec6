import Foundation
import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

/// What observers are told about commits of this process, and when.
@Suite struct NotificationTests {
    @Test(arguments: Storage.all) func eachKindOfChangeIsTold(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try withListener(database) { told in
                let first = try database["a"].put(["n": 1])
                let second = try database["a"].update { $0["n"] = 2 }
                let tombstone = try database["a"].delete()
                try database["b"].put([:])
                try database["b"].purge()
                try database["_local/x"].put([:])
                try database["c"].put([:])
                let changes = told.wait(for: 6).documents
                #expect(changes.map(\.sequence) == [1, 2, 3, 4, 5, 6])
                #expect(changes.map(\.documentID.string) == ["a", "a", "a", "b", "b", "c"])
                #expect(changes.map(\.kind) == [.saved, .saved, .saved, .saved, .purged, .saved])
                #expect(changes.map(\.isDeletion) == [false, false, true, false, false, false])
                #expect(changes.map(\.isDocumentDeleted) == [false, false, true, false, true, false])
                #expect(changes.prefix(3).map(\.revisionID) == [first.id, second?.id, tombstone.id])
                #expect(changes[4].revisionID == nil)
                #expect(changes[4].currentRevisionID == nil)
                #expect(changes.map(\.isCurrentRevision) == [true, true, true, true, false, true])
                #expect(changes.allSatisfy { !$0.isExternal && !$0.isConflict && $0.source == nil })
            }
        }
    }

    @Test(arguments: Storage.all) func conflictsAndSourcesAreTold(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let id = DocumentID("a")
            try withListener(database) { told in
                let own = try database["a"].put(["n": 1])
                let body = try DocumentBody(JSONObject())
                let winner = try RevisionID("2-ff")
                #expect(
                    try database.forceInsert(id, history: [winner, RevisionID("1-aa")], body, source: "elsewhere")
                )
                // Already known: nothing changes, and nothing is reported.
                #expect(
                    try !database.forceInsert(id, history: [winner, RevisionID("1-aa")], body, source: "elsewhere")
                )
                let loser = try database["a"].delete(parent: own.id)
                let changes = told.wait(for: 3).documents
                #expect(changes.map(\.isConflict) == [false, true, false])
                #expect(changes.map(\.source) == [nil, "elsewhere", nil])
                #expect(changes.map(\.revisionID) == [own.id, winner, loser.id])
                #expect(changes.map(\.currentRevisionID) == [own.id, winner, winner])
                #expect(changes.map(\.isDeletion) == [false, false, true])
                #expect(changes.map(\.isDocumentDeleted) == [false, false, false])
            }
        }
    }

    @Test(arguments: Storage.all) func nothingIsToldBeforeTheCommitNorAfterARollback(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try withListener(database) { told in
                expectApplicationError(1) {
                    try database.inTransaction {
                        try database["rolled-back"].put([:])
                        throw ApplicationError(number: 1)
                    }
                }
                // A nested failure that is caught still dooms the transaction.
                expectApplicationError(2) {
                    try database.inTransaction {
                        try database["doomed-a"].put([:])
                        try? database.inTransaction {
                            try database["doomed-b"].put([:])
                            throw ApplicationError(number: 2)
                        }
                    }
                }
                try database.inTransaction {
                    try database["a"].put([:])
                    // A refusal of one call leaves no trace.
                    expectError(.conflict) { try database["a"].put(["other": true]) }
                    try database.inTransaction { try database["b"].put([:]) }
                    // The committed state is read on another thread.
                    #expect(told.all.isEmpty)
                }
                try database["last"].put([:])
                let changes = told.wait(forDocument: "last")
                #expect(changes.ids == ["a", "b", "last"])
                #expect(changes.sequences == [1, 2, 3])
                #expect(changes.missed == [])
            }
        }
    }

    @Test(arguments: Storage.all) func aRefusedCallIsNotTold(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database["a"].put([:])
            try withListener(database) { told in
                expectError(.conflict) { try database["a"].put([:]) }
                expectError(.notFound) { try database["b"].delete() }
                #expect(try !database["b"].purge())
                try database["last"].put([:])
                #expect(told.wait(for: 1).ids == ["last"])
            }
        }
    }

    @Test(arguments: Storage.all) func oneDocumentIsObserved(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let told = Told()
            let other = Told()
            // Composed and decomposed are two documents.
            let listener = try database["\u{E9}"].addChangeListener { told.add($0) }
            let otherListener = try database["e\u{301}"].addChangeListener { other.add($0) }
            try database.inTransaction {
                try database["\u{E9}"].put(["n": 1])
                try database["e\u{301}"].put([:])
                try database["\u{E9}"].update { $0["n"] = 2 }
            }
            try database["\u{E9}"].purge()
            #expect(told.wait(for: 3).sequences == [1, 3, 4])
            #expect(other.wait(for: 1).sequences == [2])
            listener.remove()
            otherListener.remove()
            expectError(.badID) { try database["_local/x"].changes() }
            expectError(.badID) { try database["_x"].addChangeListener { _ in } }
        }
    }

    @Test(arguments: Storage.all) func callbacksMayWriteAndAreToldOfItLater(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let told = Told()
            let listener = database.addChangeListener { [weak database] change in
                told.add(change)
                guard case .document(let change) = change, let database, change.sequence < 20 else { return }
                do {
                    // What is reported is committed, and can be read and written.
                    #expect(try database[change.documentID.string].exists)
                    try database.inTransaction { try database["after-\(change.sequence)"].put([:]) }
                } catch {
                    Issue.record(error)
                }
            }
            try database["first"].put([:])
            let changes = told.wait(for: 20)
            #expect(changes.sequences == Array(1...20))
            listener.remove()
        }
    }

    @Test(arguments: Storage.all) func manyWritersAreToldInOrderOnce(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let observers = (0..<4).map { _ in database.listen(buffer: 100_000) }
            try onThreads(4) { thread in
                for number in 0..<100 {
                    try database.inTransaction {
                        try database["d\(thread)-\(number)"].put([:])
                        try database["shared-\(number % 5)"].update { $0["by"] = .int(Int64(thread)) }
                    }
                }
            }
            for (told, listener) in observers {
                #expect(told.wait(for: 800).sequences == Array(1...800))
                #expect(told.all.documents.allSatisfy { !$0.isExternal })
                listener.remove()
            }
        }
    }

    @Test(arguments: Storage.all) func aListenerEndsWhenItIsRemovedOrGoesAway(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let removed = database.listen()
            var forgotten: (told: Told, listener: ChangeListener)? = database.listen()
            let gone = try #require(forgotten?.told)
            try database["a"].put([:])
            _ = removed.told.wait(for: 1)
            _ = gone.wait(for: 1)
            removed.listener.remove()
            removed.listener.remove()
            forgotten = nil
            try withListener(database) { told in
                try database["b"].put([:])
                #expect(told.wait(for: 1).ids == ["b"])
            }
            #expect(removed.told.all.ids == ["a"])
            #expect(gone.all.ids == ["a"])
            // Without observers writing continues, and later ones are not told about it.
            try database["c"].put([:])
            try withListener(database) { told in
                try database["d"].put([:])
                #expect(told.wait(for: 1).ids == ["d"])
            }
        }
    }

    /// A listener that removes itself is not called again, even if more changes are waiting for it.
    @Test(arguments: Storage.all) func aListenerMayRemoveItself(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let told = Told()
            let own = Locked<ChangeListener?>(nil)
            let ready = Gate()
            let listener = database.addChangeListener { change in
                ready.wait()
                told.add(change)
                own.withLock { $0?.remove() }
            }
            own.withLock { $0 = listener }
            try database.inTransaction { for number in 0..<10 { try database["d\(number)"].put([:]) } }
            try database["x"].put([:])
            ready.open()
            try withListener(database) { other in
                try database["last"].put([:])
                _ = other.wait(for: 1)
            }
            #expect(told.wait(for: 1).ids == ["d0"])
            own.withLock { $0 = nil }
        }
    }

    @Test(arguments: Storage.all) func callbacksRunOnTheQueueThatIsGiven(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let key = DispatchSpecificKey<Int>()
            let queue = DispatchQueue(label: "test")
            queue.setSpecific(key: key, value: 7)
            let told = Told()
            let specifics = Locked<[Int?]>([])
            let listener = bed.database.addChangeListener(queue: queue) { change in
                specifics.withLock { $0.append(DispatchQueue.getSpecific(key: key)) }
                told.add(change)
            }
            // Far more than it takes at a time.
            for number in 0..<300 { try bed.database["d\(number)"].put([:]) }
            #expect(told.wait(for: 300).sequences == Array(1...300))
            #expect(specifics.withLock { $0 } == Array(repeating: 7, count: 300))
            listener.remove()
        }
    }

    @Test(arguments: Storage.all) func closingTellsWhatWasCommittedAndEnds(_ type: StorageType) throws {
        let bed = try TestDatabase(type)
        let database = bed.database
        let (told, listener) = database.listen()
        for number in 0..<50 { try database["d\(number)"].put([:]) }
        try database.close()
        #expect(told.wait(for: 50).sequences == Array(1...50))
        listener.remove()
        try bed.manager.close()
    }

    @Test(arguments: Storage.plain) func observersDoNotKeepTheDatabase(_ type: StorageType) async throws {
        let folder = try TemporaryFolder()
        let stream: ChangeStream
        let listener: ChangeListener
        weak var observed: Database?
        do {
            let manager = try Manager(
                directory: folder.url,
                options: .init(storageType: type),
                engines: [Storage.factory(type)]
            )
            let database = try manager.database(named: "test", options: TestDatabase.options)
            observed = database
            stream = database.changes()
            listener = database.addChangeListener { _ in }
            try database["a"].put([:])
        }
        if type != .memory {
            #expect(observed == nil)
            let changes = await take(10, from: stream)
            #expect(changes.ids == ["a"])
        }
        listener.remove()
    }

    /// A transaction that began before the observer was added is reported completely.
    @Test(arguments: Storage.all) func anObserverMayComeDuringATransaction(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database["before"].put([:])
            var observer: (told: Told, listener: ChangeListener)?
            var inside: (told: Told, listener: ChangeListener)?
            try database.inTransaction {
                try database["a"].put([:])
                observer = database.listen()
                try database["b"].put([:])
                // Inside `read` of a transaction the state is not committed yet, and may never be.
                try database.read { _ in inside = database.listen() }
            }
            try database["c"].put([:])
            for (told, listener) in [observer, inside].compactMap({ $0 }) {
                let changes = told.wait(for: 3)
                #expect(changes.sequences == [2, 3, 4])
                #expect(changes.documents.allSatisfy { !$0.isExternal })
                listener.remove()
            }
        }
    }

    @Test(arguments: Storage.all) func anObserverInsideASnapshotFollowsIt(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database["a"].put([:])
            var observer: (told: Told, listener: ChangeListener)?
            try database.read { snapshot in
                #expect(try snapshot.documentCount == 1)
                try Background { try database["b"].put([:]) }.join()
                observer = database.listen()
            }
            try database["c"].put([:])
            let (told, listener) = try #require(observer)
            #expect(told.wait(for: 2).ids == ["b", "c"])
            listener.remove()
        }
    }

    @Test(arguments: Storage.all) func compactionInBetweenLosesNothing(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try withListener(database) { told in
                for round in 0..<3 {
                    try database["a"].update { $0["n"] = .int(Int64(round)) }
                    try database["b\(round)"].put([:])
                    try database["b\(round)"].purge()
                    try database.compact()
                }
                try database["last"].put([:])
                let changes = told.wait(forDocument: "last")
                #expect(changes.sequences == Array(1...10))
                #expect(changes.missed == [])
            }
        }
    }
}
