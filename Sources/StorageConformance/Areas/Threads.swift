internal import Dispatch
internal import StorageProtocol
internal import Synchronization

extension Conformance {
    static let threads: [ConformanceTest] = [
        ConformanceTest("Threads", "a call from another thread than the transaction's is a callback error (593)") {
            context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.add("a") }
            // Passed to another thread on purpose; the threads take turns.
            nonisolated(unsafe) let snapshot = try engine.beginRead()
            nonisolated(unsafe) let writer = try engine.beginWrite()
            let other = context.thread { () throws(StorageError) in
                context.fails(.callback, "a read") { () throws(StorageError) in _ = try unsafe snapshot.counters() }
                context.fails(.callback, "a listing") { () throws(StorageError) in _ = try unsafe snapshot.ids() }
                context.fails(.callback, "a write") { () throws(StorageError) in
                    try unsafe writer.setInfo([1], for: "k")
                }
                context.fails(.callback, "a commit") { () throws(StorageError) in try unsafe writer.commit() }
            }
            context.expect(other.join(), "the other thread comes to its end")
            context.equal(try unsafe snapshot.ids(), ["a"], "the snapshot's own thread goes on")
            unsafe snapshot.end()
            try unsafe writer.add("b")
            try unsafe writer.commit()
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.ids() },
                ["a", "b"],
                "so does the writer's"
            )
        },
        ConformanceTest("Threads", "a second write transaction on one thread is a callback error (593), not a deadlock")
        { context in
            let engine = try context.open()
            let writer = try engine.beginWrite()
            try writer.add("a")
            context.fails(.callback, "a second write transaction") { () throws(StorageError) in
                try engine.beginWrite().rollback()
            }
            try writer.commit()
            try engine.write { (tx) throws(StorageError) in try tx.add("b") }
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.ids() },
                ["a", "b"],
                "the first goes on"
            )
        },
        ConformanceTest("Threads", "a reader in the middle of its work does not block the writer") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in for n in 0..<10 { try tx.add("d\(n)") } }
            try engine.read { (tx) throws(StorageError) in
                var seen = 0
                try tx.records(in: .all, descending: false, fields: .all) { _ throws(StorageError) in
                    seen += 1
                    if seen == 5 {
                        let writer = context.thread { () throws(StorageError) in
                            try engine.write { (tx) throws(StorageError) in
                                try tx.add("new")
                                try tx.purge("d7")
                            }
                        }
                        context.expect(writer.join(), "the writer commits while a reader is inside a closure")
                    }
                    return true
                }
                context.equal(seen, 10, "and the reader sees what it began with")
            }
            context.equal(try engine.read { (tx) throws(StorageError) in try tx.ids().count }, 10, "one came, one went")
        },
        ConformanceTest("Threads", "a writer in the middle of its work does not block readers") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.add("a") }
            let writer = try engine.beginWrite()
            for n in 0..<200 { try writer.add("new\(n)", String(repeating: "x", count: 1_000)) }
            let readers = (0..<4).map { _ in
                context.thread { () throws(StorageError) in
                    try engine.read { (tx) throws(StorageError) in
                        context.equal(try tx.ids(), ["a"], "readers see the last commit")
                    }
                }
            }
            for reader in readers { context.expect(reader.join(), "readers end while a writer is open") }
            writer.rollback()
        },
        ConformanceTest("Threads", "a writer waits for the writer before it, and sees what that one committed") {
            context in
            let engine = try context.open()
            for round in 0..<10 {
                let first = try engine.beginWrite()
                let isCommitted = Flag()
                let hasBegun = DispatchSemaphore(value: 0)
                let second = context.thread { () throws(StorageError) in
                    let writer = try engine.beginWrite()
                    hasBegun.signal()
                    context.expect(isCommitted.isSet, "the second writer begins after the first has ended")
                    context.expect(try writer.stored("first\(round)") != nil, "and sees its commit")
                    try writer.add("second\(round)")
                    try writer.commit()
                }
                try first.add("first\(round)")
                let early = hasBegun.wait(timeout: .now() + .milliseconds(5)) == .success
                context.expect(!early, "there is one write transaction at a time")
                isCommitted.set()
                try first.commit()
                context.expect(second.join(), "the second writer gets its turn")
            }
            context.equal(try engine.read { (tx) throws(StorageError) in try tx.ids().count }, 20, "all were written")
        },
        ConformanceTest("Threads", "a writer who waits when the store closes gets notOpen (503)") { context in
            let engine = try context.open()
            let first = try engine.beginWrite()
            let waiter = context.thread { () throws(StorageError) in
                context.fails(.notOpen, "waiting for a store that closed") { () throws(StorageError) in
                    try engine.beginWrite().rollback()
                }
            }
            context.expect(!waiter.join(milliseconds: 5), "the second writer waits")
            context.close(engine)
            context.expect(waiter.join(), "the one who waited is sent away, though the first has not ended")
            first.rollback()
        },
        ConformanceTest("Threads", "many readers beside one writer: each snapshot is consistent in itself") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.makeIndex("x")
                for n in 0..<20 { try tx.add("d\(n)", "0") }
            }
            let isDone = Flag()
            let readers = (0..<4).map { reader in
                context.thread { () throws(StorageError) in
                    var last: UInt64 = 0
                    repeat {
                        try engine.read { (tx) throws(StorageError) in
                            let counters = try tx.counters()
                            context.expect(counters.changeCounter >= last, "snapshots do not go back in time")
                            last = counters.changeCounter
                            var bodies: Set<[UInt8]> = []
                            try tx.records(in: .all, descending: reader % 2 == 0, fields: .body) {
                                (view) throws(StorageError) in
                                bodies.insert(view.bodyCopy())
                                return true
                            }
                            context.equal(bodies.count, 1, "every commit writes one body to all documents")
                            context.equal(try tx.changes().count, 20, "each document once")
                            context.equal(
                                try tx.info("round"),
                                bodies.first == bytes("0") ? nil : bodies.first,
                                "records and info are of one commit"
                            )
                            return
                        }
                    } while !isDone.isSet
                }
            }
            for round in 1...60 {
                try engine.write { (tx) throws(StorageError) in
                    for n in 0..<20 { try tx.change("d\(n)", .replace(bytes("\(round)"))) }
                    try tx.setInfo(bytes("\(round)"), for: "round")
                }
                if round % 20 == 0 { try engine.checkpoint() }
            }
            isDone.set()
            for reader in readers { context.expect(reader.join(), "readers come to their end") }
        },
        ConformanceTest("Threads", "writers on many threads lose nothing and share no sequence") { context in
            let engine = try context.open()
            let writers = (0..<4).map { writer in
                context.thread { () throws(StorageError) in
                    for n in 0..<25 { try engine.write { (tx) throws(StorageError) in try tx.add("w\(writer)n\(n)") } }
                }
            }
            for writer in writers { context.expect(writer.join(), "writers come to their end") }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.ids().count, 100, "all documents")
                context.equal(try tx.changes().count, 100, "under sequences of their own")
                context.equal(try tx.counters().lastSequence, 100, "without gaps")
                context.equal(try tx.counters().liveDocuments, 100, "all counted")
            }
        },
    ]
}

/// Signals from one thread to another that something has happened.
final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}
