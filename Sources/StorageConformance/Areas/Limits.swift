internal import StorageProtocol

extension Conformance {
    static let limits: [ConformanceTest] = [
        ConformanceTest("Limits", "bodies of 10 MB and of two bytes, empty trees, trees of 1 MB") { context in
            var engine = try context.open()
            var large = [UInt8](repeating: 0x61, count: 10_000_000)
            large[9_999_999] = 0x62
            let tree = [UInt8](repeating: 0xFE, count: 1_000_000)
            try engine.write { (tx) throws(StorageError) in
                try tx.add(DocumentID("large"), large, tree: tree)
                try tx.add(DocumentID("small"), bytes("{}"), tree: [])
            }
            if context.row.isPersistent { engine = try context.reopen(engine) }
            try engine.read { (tx) throws(StorageError) in
                context.expect(try tx.stored("large")?.body == large, "10 MB are stored exactly")
                context.expect(try tx.stored("large")?.tree == tree, "a tree of 1 MB is stored exactly")
                context.equal(try tx.stored("small")?.body, bytes("{}"), "an empty object")
                context.equal(try tx.stored("small")?.tree, [], "an empty tree")
            }
            try engine.write { (tx) throws(StorageError) in
                try tx.change("large", .replaceKeepingOld(bytes("{}"), oldSequence: 1))
            }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.oldBody(1)?.utf8.count, large.count, "a kept body of 10 MB")
            }
        },
        ConformanceTest("Limits", "IDs of 64 KiB are stored, found and sorted by all their bytes") { context in
            let engine = try context.open()
            let stem = String(repeating: "x", count: DocumentID.maximumLength - 1)
            let ids = ["a", "b", "c"].map { stem + $0 }
            try engine.write { (tx) throws(StorageError) in
                for id in ids.reversed() { try tx.add(id, #"{"last":"\#(id.last ?? " ")"}"#) }
            }
            try engine.read { (tx) throws(StorageError) in
                let found = try tx.ids()
                context.expect(found == ids, "IDs that differ in their last byte of 65,536 are in order")
                context.equal(try tx.json(ids[1]), #"{"last":"b"}"#, "each has its own record")
                let range = ByteRange(lower: .excluding(bytes(ids[0])), upper: .including(bytes(ids[1])))
                context.expect(try tx.ids(range) == [ids[1]], "bounds of 64 KiB hold")
            }
            try engine.write { (tx) throws(StorageError) in
                try tx.purge(ids[1])
                try tx.putLocal("_local/" + stem.dropLast(7) + "z", "1-l", "{}")
            }
            try engine.read { (tx) throws(StorageError) in
                context.expect(try tx.hidden() == ["4 " + ids[1]], "a hidden entry keeps an ID of 64 KiB")
                context.equal(try tx.locals().count, 1, "a local ID of 64 KiB")
            }
        },
        ConformanceTest("Limits", "slashes, emoji, right-to-left text and control characters are bytes like others") {
            context in
            let engine = try context.open()
            let names = [
                "a/b/../c", "😀", "😀😀", "שלום", "%00", "tab\tline\n", "'; --", "\u{FEFF}", "\u{10FFFF}", " ", "Ω",
            ]
            try engine.write { (tx) throws(StorageError) in
                for name in names { try tx.add(name, #"{"n":\#(name.utf8.count)}"#) }
            }
            try engine.read { (tx) throws(StorageError) in
                for name in names {
                    context.equal(try tx.json(name), #"{"n":\#(name.utf8.count)}"#, "every ID is found")
                }
                let sorted = names.map(bytes).sorted { compareBytes($0, $1) < 0 }
                context.equal(try tx.ids().map(bytes), sorted, "and all are in the order of their UTF-8 bytes")
            }
        },
        ConformanceTest("Limits", "composed and decomposed twins are two documents") { context in
            let engine = try context.open()
            let composed = "caf\u{E9}"
            let decomposed = "cafe\u{301}"
            try engine.write { (tx) throws(StorageError) in
                try tx.add(composed, #"{"n":1}"#)
                try tx.add(decomposed, #"{"n":2}"#)
                try tx.setInfo([1], for: composed)
                try tx.setInfo([2], for: decomposed)
                try tx.setIndexState(composed, IndexState(version: "1", collationVersion: "c"))
                try tx.setIndexState(decomposed, IndexState(version: "2", collationVersion: "c"))
            }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.json(composed), #"{"n":1}"#, "one twin")
                context.equal(try tx.json(decomposed), #"{"n":2}"#, "the other")
                let twins = [bytes(decomposed), bytes(composed)]
                context.equal(try tx.ids().map(bytes), twins, "both listed, by bytes")
                context.equal(try tx.info(composed), [1], "info keys are bytes too")
                context.equal(try tx.allInfo().map { bytes($0.key) }, twins, "info in order")
                context.equal(try tx.indexNames().map(bytes), twins, "so are the names of indexes")
                context.equal(try tx.indexState(decomposed)?.version, "2", "each index has its own state")
            }
        },
        ConformanceTest("Limits", "thousands of records in one transaction stay in both orders") { context in
            let engine = try context.open()
            let count = 3_000
            try engine.write { (tx) throws(StorageError) in
                for n in 0..<count { try tx.add("doc\((n * 7_919) % count)") }
            }
            try engine.read { (tx) throws(StorageError) in
                let sorted = (0..<count).map { "doc\($0)" }.sorted { compareBytes(bytes($0), bytes($1)) < 0 }
                context.expect(try tx.ids() == sorted, "all, by ID")
                let changes = (0..<count).map { "\($0 + 1) doc\(($0 * 7_919) % count)" }
                context.expect(try tx.changes() == changes, "all, by sequence")
            }
        },
        ConformanceTest("Limits", "thousands of records come and go, and snapshots keep what they saw") { context in
            let engine = try context.open()
            let count = 1_500
            var random = SeededGenerator(seed: 20)
            var present: Set<String> = []
            var snapshots: [(transaction: any ReadTransaction, ids: [String])] = []
            func sorted(_ ids: Set<String>) -> [String] { ids.sorted { compareBytes(bytes($0), bytes($1)) < 0 } }
            for round in 0..<12 {
                try engine.write { (tx) throws(StorageError) in
                    for _ in 0..<count / 4 {
                        let id = "doc\(random.below(count))"
                        // Alternating rounds of growing and shrinking, down to almost nothing.
                        if round % 4 < 2 {
                            if present.insert(id).inserted { try tx.add(id) }
                        } else if present.remove(id) != nil {
                            try tx.purge(id)
                        }
                    }
                    if round % 4 == 3 {
                        for id in sorted(present).dropFirst(3) {
                            try tx.purge(id)
                            present.remove(id)
                        }
                    }
                }
                let snapshot = try engine.beginRead()
                context.expect(try snapshot.ids() == sorted(present), "round \(round): all, by ID")
                context.equal(try snapshot.changes().count, present.count, "round \(round): all, by sequence")
                snapshots.append((snapshot, sorted(present)))
                context.checkVerified(engine, "in round \(round)")
            }
            for (snapshot, ids) in snapshots {
                context.expect(try snapshot.ids() == ids, "a snapshot lists what it saw")
                snapshot.end()
            }
        },
    ]
}
