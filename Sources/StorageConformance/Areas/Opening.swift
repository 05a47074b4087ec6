internal import StorageProtocol

extension Conformance {
    static let opening: [ConformanceTest] = [
        ConformanceTest("Opening", "an engine says of itself what its factory says") { context in
            let engine = try context.open()
            context.equal(engine.storageType, context.row.factory.storageType, "the storage types agree")
            context.equal(engine.capabilities, context.row.factory.capabilities, "the capabilities agree")
        },
        ConformanceTest(
            "Opening",
            "a key, a compression and a durability that stores cannot have are notImplemented (501), and nothing is "
                + "made"
        ) { context in
            let factory = context.row.factory
            var wishes = [
                StorageOptions(create: true, durability: Durability(rawValue: "for ever"), key: context.row.key),
                StorageOptions(create: true, compression: Compression(rawValue: "of tomorrow"), key: context.row.key),
            ]
            if !factory.capabilities.encrypts {
                wishes.append(StorageOptions(create: true, key: try StorageKey(passphrase: "secret")))
            }
            let made = try context.makeDirectory()
            let engine = try context.open(made, create: true)
            try engine.write { (tx) throws(StorageError) in try tx.add("a") }
            if context.row.isPersistent { context.close(engine) }
            for wish in wishes {
                let directory = try context.makeDirectory()
                context.fails(.notImplemented, "a new store") { () throws(StorageError) in
                    try factory.open(directory: directory, options: wish).close()
                }
                context.equal(try context.names(in: directory), [], "nothing is made")
                context.fails(.notImplemented, "a store that is there") { () throws(StorageError) in
                    try factory.open(directory: made, options: wish).close()
                }
            }
        },
        ConformanceTest(
            "Opening",
            "`authorize` says nothing against what can be opened, nor changes anything",
            needs: .persistence
        ) {
            context in
            let factory = context.row.factory
            let directory = try context.makeDirectory()
            let engine = try context.open(directory, create: true)
            try engine.write { (tx) throws(StorageError) in try tx.writeEverything("a") }
            let options = StorageOptions(
                durability: context.row.durability,
                compression: engine.compression,
                key: context.row.key
            )
            try factory.authorize(directory: directory, options: options)
            try engine.write { (tx) throws(StorageError) in try tx.add("while it is open") }
            context.close(engine)
            let names = try context.names(in: directory)
            try factory.authorize(directory: directory, options: options)
            context.equal(try context.names(in: directory), names, "no file comes or goes")
            let again = try context.open(directory)
            context.equal(
                try again.read { (tx) throws(StorageError) in try tx.stored("while it is open") != nil },
                true,
                "the store is as it was"
            )
        },
        ConformanceTest("Opening", "an empty directory without `create` is notFound (404)") { context in
            let directory = try context.makeDirectory()
            context.fails(.notFound, "nothing is made without being asked for") { () throws(StorageError) in
                _ = try context.open(directory)
            }
            let engine = try context.open(directory, create: true)
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.ids() },
                [],
                "the refusal left the directory usable"
            )
        },
        ConformanceTest("Opening", "a closed store opens again with its content", needs: .persistence) { context in
            var engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.add("a", #"{"n":1}"#) }
            let before = try engine.read { (tx) throws(StorageError) in try tx.contents() }
            engine = try context.reopen(engine)
            let after = try engine.read { (tx) throws(StorageError) in try tx.contents() }
            context.equal(after.difference(from: before), nil, "nothing is lost or added by closing")
        },
        ConformanceTest("Opening", "`create` on a store that exists opens it", needs: .persistence) { context in
            let directory = try context.makeDirectory()
            var engine = try context.open(directory, create: true)
            try engine.write { (tx) throws(StorageError) in try tx.add("a") }
            context.close(engine)
            engine = try context.open(directory, create: true)
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.ids() },
                ["a"],
                "the documents are still there"
            )
        },
        ConformanceTest("Opening", "read-only: reads work, beginWrite is readOnly (403)", needs: .persistence) {
            context in
            let directory = try context.makeDirectory()
            var engine = try context.open(directory, create: true)
            try engine.write { (tx) throws(StorageError) in try tx.add("a", #"{"n":1}"#) }
            context.close(engine)
            engine = try context.open(directory, readOnly: true)
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.json("a") },
                #"{"n":1}"#,
                "a read-only store can be read"
            )
            context.fails(.readOnly, "a read-only store refuses writers") { () throws(StorageError) in
                try engine.beginWrite().rollback()
            }
            context.close(engine)
            engine = try context.open(directory)
            try engine.write { (tx) throws(StorageError) in try tx.add("b") }
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.ids() },
                ["a", "b"],
                "and can be written again later"
            )
        },
        ConformanceTest("Opening", "after `close` every call is notOpen (503), and a second `close` does nothing") {
            context in
            let engine = try context.open()
            context.close(engine)
            engine.close()
            context.fails(.notOpen, "beginRead after close") { () throws(StorageError) in try engine.beginRead().end() }
            context.fails(.notOpen, "beginWrite after close") { () throws(StorageError) in
                try engine.beginWrite().rollback()
            }
            context.fails(.notOpen, "checkpoint after close") { () throws(StorageError) in try engine.checkpoint() }
            context.fails(.notOpen, "verify after close") { () throws(StorageError) in try engine.verify { _ in } }
            context.fails(.notOpen, "statistics after close") { () throws(StorageError) in _ = try engine.statistics() }
        },
        ConformanceTest("Opening", "`close` waits for no one: open transactions fail with notOpen (503)") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.add("a") }
            let snapshot = try engine.beginRead()
            let writer = try engine.beginWrite()
            try writer.add("b")
            context.close(engine)
            context.fails(.notOpen, "a snapshot after close") { () throws(StorageError) in _ = try snapshot.counters() }
            context.fails(.notOpen, "a listing after close") { () throws(StorageError) in _ = try snapshot.ids() }
            context.fails(.notOpen, "a write after close") { () throws(StorageError) in try writer.add("c") }
            context.fails(.notOpen, "a commit after close") { () throws(StorageError) in try writer.commit() }
            writer.rollback()
            snapshot.end()
            snapshot.end()
        },
        ConformanceTest("Opening", "statistics tell of open transactions and the size of the files") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.add("a") }
            let snapshot = try engine.beginRead()
            let second = try engine.beginRead()
            context.equal(try engine.statistics().openTransactions, 2, "two snapshots are open")
            snapshot.end()
            second.end()
            let figures = try engine.statistics()
            context.equal(figures.openTransactions, 0, "none is open")
            context.equal(
                figures.bytesOnDisk > 0,
                context.row.factory.capabilities.location == .folder,
                "files have a size"
            )
        },
        ConformanceTest("Opening", "`checkpoint` changes nothing that readers see") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.add("a") }
            let snapshot = try engine.beginRead()
            context.equal(try snapshot.ids(), ["a"], "the snapshot sees the document")
            try engine.write { (tx) throws(StorageError) in try tx.add("b") }
            try engine.checkpoint()
            context.equal(try snapshot.ids(), ["a"], "a snapshot outlives a checkpoint")
            snapshot.end()
            try engine.checkpoint()
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.ids() },
                ["a", "b"],
                "everything is there afterwards"
            )
        },
        ConformanceTest("Opening", "`checkpoint` on the thread that writes leaves its transaction as it is") {
            context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.add("a") }
            try engine.write { (tx) throws(StorageError) in
                try engine.checkpoint()
                try tx.add("b")
                try engine.checkpoint()
                context.equal(try engine.read { (other) throws(StorageError) in try other.ids() }, ["a"], "as before")
                context.equal(try tx.ids(), ["a", "b"], "and it goes on")
            }
            let writer = try engine.beginWrite()
            try writer.add("c")
            try engine.checkpoint()
            writer.rollback()
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.ids() },
                ["a", "b"],
                "what it has written is not committed by it"
            )
        },
    ]
}
