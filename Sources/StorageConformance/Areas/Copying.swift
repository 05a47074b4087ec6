internal import StorageProtocol

extension Conformance {
    static let copying: [ConformanceTest] = [
        ConformanceTest("Copying", "a copy holds the same, with the same handles and counters", needs: .copies) {
            context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.writeEverything("a")
                for n in 0..<200 { try tx.add("d\(n)", #"{"n":\#(n)}"#) }
                for n in 0..<50 { try tx.purge("d\(n * 3)") }
                try tx.trimHiddenEntries(through: 220)
                try tx.add(try DocumentID(String(repeating: "long", count: 10_000)), bytes("{}"))
            }
            try engine.write { (tx) throws(StorageError) in try tx.writeEverything("b") }
            let directory = try context.makeDirectory()
            var last: UInt64 = 0
            var calls = 0
            try engine.copy(toDirectory: directory) { (done, total) throws(StorageError) in
                context.expect(done >= last && done <= total, "progress grows and stays within its total")
                last = done
                calls += 1
            }
            context.expect(calls > 0, "progress is told")
            let copy = try context.open(directory)
            try context.expectTheSame(copy, as: engine)
            try copy.write { (tx) throws(StorageError) in try tx.add("only in the copy") }
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.stored("only in the copy") },
                nil,
                "two stores from then on"
            )
        },
        ConformanceTest("Copying", "a copy is of one state, though others write meanwhile", needs: .copies) {
            context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in for n in 0..<2000 { try tx.add("d\(n)", #"{"n":\#(n)}"#) } }
            let before = try engine.read { (tx) throws(StorageError) in try tx.contents() }
            let directory = try context.makeDirectory()
            var isWritten = false
            try engine.copy(toDirectory: directory) { (_, _) throws(StorageError) in
                guard !isWritten else { return }
                isWritten = true
                let writer = context.thread { () throws(StorageError) in
                    try engine.write { (tx) throws(StorageError) in
                        try tx.writeEverything("new")
                        for n in 0..<2000 where n % 2 == 0 { try tx.purge("d\(n)") }
                    }
                }
                context.expect(writer.join(), "a copy does not hold up the writer")
            }
            let after = try engine.read { (tx) throws(StorageError) in try tx.contents() }
            let copy = try context.open(directory)
            let found = try copy.read { (tx) throws(StorageError) in try tx.contents() }
            context.expect(
                found.difference(from: before) == nil || found.difference(from: after) == nil,
                "what was written meanwhile is in the copy as a whole or not at all"
            )
        },
        ConformanceTest("Copying", "an empty store, and one that was purged empty, can be copied", needs: .copies) {
            context in
            let engine = try context.open()
            func copied() throws -> StoreCounters {
                let directory = try context.makeDirectory()
                try engine.copy(toDirectory: directory) { (_, _) throws(StorageError) in }
                let copy = try context.open(directory)
                defer { context.close(copy) }
                return try copy.read { (tx) throws(StorageError) in try tx.counters() }
            }
            context.equal(
                try copied(),
                try engine.read { (tx) throws(StorageError) in try tx.counters() },
                "an empty store"
            )
            try engine.write { (tx) throws(StorageError) in
                try tx.add("a")
                try tx.purge("a")
                try tx.trimHiddenEntries(through: .max)
            }
            context.equal(
                try copied(),
                try engine.read { (tx) throws(StorageError) in try tx.counters() },
                "the counters outlive the records"
            )
        },
        ConformanceTest(
            "Copying",
            "an error of the progress closure ends the copy; the original is unharmed",
            needs: .copies
        ) { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.writeEverything("a") }
            let directory = try context.makeDirectory()
            context.fails(.cancelled, "the closure's error") { () throws(StorageError) in
                try engine.copy(toDirectory: directory) { (_, _) throws(StorageError) in
                    throw StorageError(.cancelled, "Enough of this.")
                }
            }
            try engine.write { (tx) throws(StorageError) in try tx.add("b") }
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.ids() },
                ["a1", "b"],
                "the original goes on"
            )
        },
        ConformanceTest("Copying", "an engine that cannot copy throws notImplemented (501)") { context in
            guard !context.row.factory.capabilities.canCopy else { return }
            let engine = try context.open()
            let directory = try context.makeDirectory()
            context.fails(.notImplemented, "there is nothing to copy") { () throws(StorageError) in
                try engine.copy(toDirectory: directory) { (_, _) throws(StorageError) in }
            }
            context.equal(try context.names(in: directory), [], "nothing is written")
        },
        ConformanceTest(
            "Copying",
            "a copy with another key or compression is that, or notImplemented (501) before anything is written",
            needs: .copies
        ) { context in
            let capabilities = context.row.factory.capabilities
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.writeEverything("a") }
            let unknown = Compression(rawValue: "of tomorrow")
            let compressions = capabilities.compressions.map { ($0, true) } + [(unknown, false)]
            for (compression, isKnown) in compressions {
                let directory = try context.makeDirectory()
                do throws(StorageError) {
                    let options = StorageCopyOptions(compression: compression)
                    try engine.copy(toDirectory: directory, options: options) { (_, _) throws(StorageError) in }
                    context.expect(isKnown, "no copy has a compression that is not declared")
                    let copy = try context.open(directory)
                    context.equal(copy.compression, compression, "the copy has the compression")
                    try context.expectTheSame(copy, as: engine)
                } catch {
                    context.equal(error.code, .notImplemented, "the refusal")
                    context.expect(compression != engine.compression, "a copy may have the store's own compression")
                    context.equal(try context.names(in: directory), [], "nothing is written")
                }
            }
            guard !capabilities.encrypts else { return }
            let directory = try context.makeDirectory()
            let key = try StorageKey(passphrase: "of a copy")
            context.fails(.notImplemented, "a copy cannot be encrypted") { () throws(StorageError) in
                let options = StorageCopyOptions(key: .other(key))
                try engine.copy(toDirectory: directory, options: options) { (_, _) throws(StorageError) in }
            }
            context.equal(try context.names(in: directory), [], "nothing is written")
            try engine.copy(toDirectory: directory, options: StorageCopyOptions(key: .none)) {
                (_, _) throws(StorageError) in
            }
            try context.expectTheSame(try context.open(directory), as: engine)
        },
    ]
}
