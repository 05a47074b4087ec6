internal import StorageProtocol

extension Conformance {
    static let counters: [ConformanceTest] = [
        ConformanceTest("Counters", "a new store counts no documents and has used no sequence") { context in
            let engine = try context.open()
            let counters = try engine.read { (tx) throws(StorageError) in try tx.counters() }
            context.equal(counters.liveDocuments, 0, "no live documents")
            context.equal(counters.lastSequence, 0, "no sequence used")
        },
        ConformanceTest("Counters", "the count and last sequence are those of the last draft, inside and after") {
            context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.add("a")
                context.equal(try tx.counters().lastSequence, 1, "a transaction sees its own sequence")
                context.equal(try tx.counters().liveDocuments, 1, "and its own count")
                try tx.add("b")
                try tx.add("c", flags: .deleted)
            }
            let counters = try engine.read { (tx) throws(StorageError) in try tx.counters() }
            context.equal(counters.liveDocuments, 2, "tombstones are not counted")
            context.equal(counters.lastSequence, 3, "the highest sequence")
            try engine.write { (tx) throws(StorageError) in try tx.change("b", .replace(bytes("{}")), flags: .deleted) }
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.counters().liveDocuments },
                1,
                "a deletion lowers the count"
            )
            try engine.write { (tx) throws(StorageError) in try tx.change("c", .replace(bytes("{}"))) }
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.counters().liveDocuments },
                2,
                "a revival raises it"
            )
        },
        ConformanceTest("Counters", "sequences may leave gaps and grow beyond 32 bits") { context in
            let engine = try context.open()
            let far = UInt64(1) << 40
            try engine.write { (tx) throws(StorageError) in
                _ = try tx.insert(
                    RecordDraft(
                        documentID: DocumentID("far"),
                        flags: [],
                        sequence: far,
                        winner: try RevisionID("1-x"),
                        tree: [],
                        body: .replace(bytes("{}"))
                    )
                )
            }
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.counters().lastSequence },
                far,
                "the last sequence is exact"
            )
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.changes() },
                ["\(far) far"],
                "and found by its number"
            )
        },
        ConformanceTest("Counters", "every commit that wrote anything moves the change counter, whatever it wrote") {
            context in
            let engine = try context.open()
            func counter() throws(StorageError) -> UInt64 {
                try engine.read { (tx) throws(StorageError) in try tx.counters().changeCounter }
            }
            var last = try counter()
            func moved(
                by what: String,
                _ body: (any WriteTransaction) throws(StorageError) -> Void
            ) throws(StorageError) {
                try engine.write(body)
                let now = try counter()
                context.expect(now > last, "the change counter grows with \(what)")
                last = now
            }
            try moved(by: "an insert") { (tx) throws(StorageError) in try tx.add("a") }
            try moved(by: "an update") { (tx) throws(StorageError) in try tx.change("a") }
            try moved(by: "a local document") { (tx) throws(StorageError) in try tx.putLocal("_local/x", "1-l", "{}") }
            try moved(by: "an info value") { (tx) throws(StorageError) in try tx.setInfo([1], for: "k") }
            try moved(by: "an index") { (tx) throws(StorageError) in
                try tx.setIndexState("v", IndexState(version: "1", collationVersion: "c"))
            }
            try moved(by: "a blob reference") { (tx) throws(StorageError) in
                try tx.setBlobReference(
                    BlobReference(digest: .init(repeating: 7, count: 20), storageName: "n", length: 1, count: 1)
                )
            }
            try moved(by: "a purge") { (tx) throws(StorageError) in try tx.purge("a") }
            try moved(by: "a trim") { (tx) throws(StorageError) in try tx.trimHiddenEntries(through: 10) }
        },
        ConformanceTest("Counters", "reads, empty commits and roll-backs leave the change counter alone") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.add("a") }
            let before = try engine.read { (tx) throws(StorageError) in try tx.counters() }
            try engine.write { (tx) throws(StorageError) in _ = try tx.ids() }
            try engine.write { (tx) throws(StorageError) in
                try tx.expire("a", at: nil)
                try tx.setInfo(nil, for: "nothing")
                try tx.removeLocalDocument(DocumentID("_local/nothing"))
                try tx.removeBlobReference(.init(repeating: 9, count: 20))
            }
            let writer = try engine.beginWrite()
            try writer.add("b")
            writer.rollback()
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.counters() },
                before,
                "nothing was written"
            )
        },
    ]
}
