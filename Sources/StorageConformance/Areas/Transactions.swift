internal import StorageProtocol

extension WriteTransaction {
    /// Writes something of every kind.
    func writeEverything(_ stem: String) throws(StorageError) {
        try add("\(stem)1", #"{"n":1}"#)
        let sequence = try counters().lastSequence
        try change("\(stem)1", .replaceKeepingOld(bytes(#"{"n":2}"#), oldSequence: sequence))
        try expire("\(stem)1", at: 1_000)
        try add("\(stem)2")
        try purge("\(stem)2")
        try putLocal("_local/\(stem)", "1-l", "{}")
        try setInfo(bytes(stem), for: stem)
        try makeIndex(stem)
        try emit(stem, "\(stem)1", at: sequence + 1, ["k", "l"])
        try putIndexEntry(stem, key: [1], value: [2])
        let digest = [UInt8](repeating: bytes(stem)[0], count: 20)
        try setBlobReference(BlobReference(digest: digest, storageName: stem, length: 3, count: 1))
    }
}

extension Conformance {
    static let transactions: [ConformanceTest] = [
        ConformanceTest("Transactions", "a commit makes everything visible at once; nothing is visible before") {
            context in
            let engine = try context.open()
            let empty = try engine.read { (tx) throws(StorageError) in try tx.contents() }
            let writer = try engine.beginWrite()
            try writer.writeEverything("a")
            let inside = try writer.contents()
            let outside = try engine.read { (tx) throws(StorageError) in try tx.contents() }
            context.equal(outside.difference(from: empty), nil, "nothing is visible before the commit")
            try writer.commit()
            let after = try engine.read { (tx) throws(StorageError) in try tx.contents() }
            context.equal(after.difference(from: inside), nil, "everything is visible after it")
            context.equal(after.oldBodies.count, 1, "and there was something of every kind")
        },
        ConformanceTest("Transactions", "a roll-back undoes everything, and the next transaction works") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.writeEverything("a") }
            let before = try engine.read { (tx) throws(StorageError) in try tx.contents() }
            let counters = try engine.read { (tx) throws(StorageError) in try tx.counters() }
            let writer = try engine.beginWrite()
            try writer.writeEverything("b")
            try writer.change("a1", .replace(bytes("{}")), flags: .deleted)
            try writer.trimHiddenEntries(through: .max)
            try writer.dropIndex("a")
            try writer.removeLocalDocument(DocumentID("_local/a"))
            writer.rollback()
            writer.rollback()
            let after = try engine.read { (tx) throws(StorageError) in try tx.contents() }
            context.equal(after.difference(from: before), nil, "nothing of it is left")
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.counters() },
                counters,
                "nor in the counters"
            )
            try engine.write { (tx) throws(StorageError) in try tx.writeEverything("b") }
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.ids() },
                ["a1", "b1"],
                "the same work succeeds afterwards"
            )
        },
        ConformanceTest("Transactions", "`end` on a write transaction rolls back") { context in
            let engine = try context.open()
            let writer = try engine.beginWrite()
            try writer.add("a")
            writer.end()
            context.equal(try engine.read { (tx) throws(StorageError) in try tx.ids() }, [], "nothing was written")
            try engine.write { (tx) throws(StorageError) in try tx.add("b") }
        },
        ConformanceTest("Transactions", "`write` rolls back when its closure throws, and throws the closure's error") {
            context in
            let engine = try context.open()
            context.fails(.rejected, "the closure's error") { () throws(StorageError) in
                try engine.write { (tx) throws(StorageError) in
                    try tx.add("a")
                    throw StorageError(.rejected, "The closure says no.")
                }
            }
            context.equal(try engine.read { (tx) throws(StorageError) in try tx.ids() }, [], "nothing was written")
        },
        ConformanceTest("Transactions", "after its end every call on a transaction is notOpen (503)") { context in
            let engine = try context.open()
            let snapshot = try engine.beginRead()
            snapshot.end()
            snapshot.end()
            context.fails(.notOpen, "counters after end") { () throws(StorageError) in _ = try snapshot.counters() }
            context.fails(.notOpen, "ids after end") { () throws(StorageError) in _ = try snapshot.ids() }
            context.fails(.notOpen, "info after end") { () throws(StorageError) in _ = try snapshot.info("k") }
            for commits in [true, false] {
                let writer = try engine.beginWrite()
                if commits { try writer.commit() } else { writer.rollback() }
                context.fails(.notOpen, "a write after the end") { () throws(StorageError) in try writer.add("a") }
                context.fails(.notOpen, "a read after the end") { () throws(StorageError) in _ = try writer.ids() }
                context.fails(.notOpen, "a commit after the end") { () throws(StorageError) in try writer.commit() }
                writer.rollback()
                writer.end()
            }
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.ids() },
                [],
                "none of them did anything"
            )
        },
        ConformanceTest("Transactions", "a snapshot is not changed by later commits of any kind") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.writeEverything("a") }
            let snapshot = try engine.beginRead()
            let before = try snapshot.contents()
            let counters = try snapshot.counters()
            try engine.write { (tx) throws(StorageError) in try tx.writeEverything("b") }
            try engine.write { (tx) throws(StorageError) in
                try tx.change("a1", .replace(bytes(#"{"n":3}"#)))
                try tx.removeRevisionBody(at: 1)
            }
            try engine.write { (tx) throws(StorageError) in
                try tx.purge("a1")
                try tx.trimHiddenEntries(through: .max)
                try tx.dropIndex("a")
                try tx.removeLocalDocument(DocumentID("_local/a"))
                try tx.setInfo(nil, for: "a")
                try tx.removeBlobReference(.init(repeating: bytes("a")[0], count: 20))
            }
            context.equal(try snapshot.contents().difference(from: before), nil, "the snapshot is as it was")
            context.equal(try snapshot.counters(), counters, "its counters too")
            snapshot.end()
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.ids() },
                ["b1"],
                "a new one sees the present"
            )
        },
        ConformanceTest("Transactions", "a snapshot is of the state of its beginning, however late it reads") {
            context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.writeEverything("a") }
            let before = try engine.read { (tx) throws(StorageError) in
                (contents: try tx.contents(), counters: try tx.counters())
            }
            let snapshots = (try engine.beginRead(), try engine.beginRead())
            try engine.write { (tx) throws(StorageError) in try tx.writeEverything("b") }
            try engine.checkpoint()
            try engine.write { (tx) throws(StorageError) in
                try tx.purge("a1")
                try tx.dropIndex("a")
                try tx.setInfo(nil, for: "a")
            }
            context.equal(try snapshots.0.contents().difference(from: before.contents), nil, "its content")
            context.equal(try snapshots.0.counters(), before.counters, "and its counters")
            context.equal(try snapshots.1.counters(), before.counters, "whatever it reads first")
            try engine.write { (tx) throws(StorageError) in try tx.add("c") }
            context.equal(try snapshots.1.contents().difference(from: before.contents), nil, "and whatever comes after")
            snapshots.0.end()
            snapshots.1.end()
        },
        ConformanceTest("Transactions", "a snapshot for a single read is of one state, its first read's at the latest")
        {
            context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.add("a") }
            let snapshot = try engine.beginSingleRead()
            try engine.write { (tx) throws(StorageError) in try tx.add("b") }
            let ids = try snapshot.ids()
            context.expect(ids == ["a"] || ids == ["a", "b"], "it sees what was committed before it began")
            try engine.write { (tx) throws(StorageError) in try tx.add("c") }
            context.equal(try snapshot.ids(), ids, "and stays as it was first seen")
            context.equal(try snapshot.counters().liveDocuments, UInt64(ids.count), "its counters too")
            snapshot.end()
            context.fails(.notOpen, "a read after end") { () throws(StorageError) in _ = try snapshot.ids() }
        },
        ConformanceTest("Transactions", "snapshots of several ages live side by side") { context in
            let engine = try context.open()
            var snapshots: [any ReadTransaction] = []
            for n in 0..<8 {
                let snapshot = try engine.beginRead()
                context.equal(try snapshot.ids().count, n, "a new snapshot sees all commits")
                snapshots.append(snapshot)
                try engine.write { (tx) throws(StorageError) in try tx.add("d\(n)") }
            }
            for (n, snapshot) in snapshots.enumerated().reversed() {
                context.equal(try snapshot.ids().count, n, "an old one what it saw first")
                context.equal(try snapshot.counters().lastSequence, UInt64(n), "and its own counters")
                snapshot.end()
            }
        },
        ConformanceTest("Transactions", "the write transaction's reads see its own writes") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                for n in 0..<300 {
                    try tx.add("d\(n)", #"{"n":\#(n)}"#)
                    context.equal(try tx.json("d\(n)"), #"{"n":\#(n)}"#, "by ID")
                }
                context.equal(try tx.ids().count, 300, "by range")
                context.equal(try tx.changes(300...300), ["300 d299"], "by sequence")
                try tx.purge("d7")
                context.equal(try tx.stored("d7"), nil, "a purge")
                context.equal(try tx.hidden(), ["301 d7"], "and its entry")
            }
        },
    ]
}
