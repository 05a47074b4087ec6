internal import StorageProtocol

extension Conformance {
    static let localDocuments: [ConformanceTest] = [
        ConformanceTest("LocalDocuments", "local documents are put, replaced, listed by ID and removed") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.putLocal("_local/b", "1-b", #"{"n":1}"#)
                try tx.putLocal("_local/a", "1-a", "{}")
                try tx.putLocal("_local/b", "2-b", #"{"n":2}"#)
                context.equal(try tx.local("_local/b"), #"2-b {"n":2}"#, "seen by the transaction itself")
            }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.local("_local/a"), "1-a {}", "one")
                context.equal(try tx.local("_local/c"), nil, "none")
                context.equal(try tx.locals(), ["_local/a 1-a {}", #"_local/b 2-b {"n":2}"#], "all, by ID")
                context.equal(try tx.locals(limit: 1), ["_local/a 1-a {}"], "until the closure returns false")
                context.equal(try tx.locals(after: "_local/a"), [#"_local/b 2-b {"n":2}"#], "behind one")
                context.equal(try tx.locals(after: "_local/a0").count, 1, "behind an ID that is not there")
                context.equal(try tx.locals(after: "_local/0").count, 2, "behind one that is above none")
                context.equal(try tx.locals(after: "_local/b"), [], "none behind the last")
            }
            try engine.write { (tx) throws(StorageError) in
                try tx.removeLocalDocument(DocumentID("_local/a"))
                try tx.removeLocalDocument(DocumentID("_local/a"))
            }
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.locals().count },
                1,
                "removed; removing nothing is no error"
            )
        },
        ConformanceTest("LocalDocuments", "local documents take no sequence and are not among the records") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.add("a")
                try tx.putLocal("_local/x", "1-x", "{}")
            }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.ids(), ["a"], "not listed by ID")
                context.equal(try tx.changes(), ["1 a"], "nor by sequence")
                context.equal(try tx.counters().lastSequence, 1, "no sequence is taken")
                context.equal(try tx.counters().liveDocuments, 1, "and none is counted")
                context.equal(try tx.stored("_local/x"), nil, "there is no record")
            }
        },
    ]

    static let expirations: [ConformanceTest] = [
        ConformanceTest("Expirations", "expirations are set, replaced, cleared and listed soonest first") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                for name in ["a", "b", "c", "d"] { try tx.add(name) }
                try tx.expire("a", at: 3_000)
                try tx.expire("b", at: 1_000)
                try tx.expire("c", at: 2_000)
                try tx.expire("a", at: 2_500)
            }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.expiring(through: .max), ["1000 b", "2000 c", "2500 a"], "soonest first")
                context.equal(try tx.expiring(through: 2_000), ["1000 b", "2000 c"], "the limit is included")
                context.equal(try tx.expiring(through: 1_999), ["1000 b"], "what is above the limit is not")
                context.equal(try tx.expiring(through: .max, count: 1), ["1000 b"], "until the closure returns false")
                context.equal(try tx.expiration(of: DocumentID("a")), 2_500, "the last one set")
                context.equal(try tx.expiration(of: DocumentID("d")), nil, "never")
                context.equal(try tx.expiration(of: DocumentID("e")), nil, "none of a document that is not there")
                context.equal(try tx.counters().lastSequence, 4, "no sequence is taken")
            }
            try engine.write { (tx) throws(StorageError) in
                try tx.expire("b", at: nil)
                try tx.expire("d", at: nil)
            }
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.expiring(through: .max) },
                ["2000 c", "2500 a"],
                "cleared"
            )
        },
        ConformanceTest("Expirations", "an expiration outlives an update, and times may lie before 1970") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                for name in ["old", "far", "first"] { try tx.add(name) }
                try tx.expire("old", at: -5)
                try tx.expire("far", at: .max)
                try tx.expire("first", at: .min)
                try tx.change("old", .replace(bytes(#"{"n":2}"#)))
            }
            let all = ["\(Int64.min) first", "-5 old", "\(Int64.max) far"]
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.expiring(through: .max) },
                all,
                "all times of 64 bits"
            )
        },
        ConformanceTest("Expirations", "at one time documents expire in the order of their IDs, however long") {
            context in
            let engine = try context.open()
            let long = String(repeating: "long", count: 300)
            try engine.write { (tx) throws(StorageError) in
                // In neither the order of IDs nor its reverse, nor that of the last changes.
                for name in [long + "2", "b", "a", long + "1", "b2", long] { try tx.add(name) }
                for name in ["a", long + "1", "b2", long, "b", long + "2"] { try tx.expire(name, at: 5) }
                try tx.change("a")
                try tx.expire("b2", at: 4)
            }
            let all = ["4 b2", "5 a", "5 b", "5 \(long)", "5 \(long)1", "5 \(long)2"]
            let found = try engine.read { (tx) throws(StorageError) in try tx.expiring(through: .max) }
            context.equal(found, all, "by time, then by ID")
        },
    ]

    static let info: [ConformanceTest] = [
        ConformanceTest("Info", "info values are set, replaced, removed and listed in the order of their keys") {
            context in
            var engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.setInfo([1, 0, 255], for: "b")
                try tx.setInfo([], for: "a")
                try tx.setInfo([2], for: "b")
                try tx.setInfo(.init(repeating: 9, count: 100_000), for: "B")
                context.equal(try tx.info("b"), [2], "seen by the transaction itself")
            }
            if context.row.isPersistent { engine = try context.reopen(engine) }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.info("b"), [2], "the last one set")
                context.equal(try tx.info("a"), [], "an empty value is a value")
                context.equal(try tx.info("c"), nil, "none")
                context.equal(try tx.info("B")?.count, 100_000, "keys are bytes: a capital is another")
                context.equal(try tx.allInfo().map(\.key), ["B", "a", "b"], "all, by key")
            }
            try engine.write { (tx) throws(StorageError) in
                try tx.setInfo(nil, for: "a")
                try tx.setInfo(nil, for: "never")
            }
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.info("a") },
                nil,
                "removed; removing nothing is no error"
            )
        }
    ]

    static let blobReferences: [ConformanceTest] = [
        ConformanceTest("BlobReferences", "references are set, replaced, removed and listed by digest") { context in
            let engine = try context.open()
            func reference(_ first: UInt8, _ name: String, _ count: UInt64) -> BlobReference {
                let digest = [first] + [UInt8](repeating: 0, count: 19)
                return BlobReference(digest: digest, storageName: name, length: 1 << 40, count: count)
            }
            try engine.write { (tx) throws(StorageError) in
                try tx.setBlobReference(reference(200, "last", 1))
                try tx.setBlobReference(reference(0, "first", 2))
                try tx.setBlobReference(reference(100, "middle", 3))
                try tx.setBlobReference(reference(100, "middle", 0))
                context.equal(try tx.blobReference(reference(100, "", 0).digest)?.count, 0, "seen by the transaction")
            }
            try engine.read { (tx) throws(StorageError) in
                let all = [reference(0, "first", 2), reference(100, "middle", 0), reference(200, "last", 1)]
                context.equal(try tx.references(), all, "all in the order of digests, count 0 included")
                context.equal(try tx.references(limit: 2), Array(all.prefix(2)), "until the closure returns false")
                context.equal(try tx.references(after: all[0].digest), Array(all.dropFirst()), "behind a digest")
                context.equal(try tx.references(after: [0]), all, "behind a byte string that is no digest")
                context.equal(try tx.references(after: all[2].digest), [], "none behind the last")
                context.equal(try tx.blobReference(all[0].digest), all[0], "one")
                context.equal(try tx.blobReference(.init(repeating: 1, count: 20)), nil, "none")
            }
            try engine.write { (tx) throws(StorageError) in
                try tx.removeBlobReference(reference(0, "", 0).digest)
                try tx.removeBlobReference(reference(0, "", 0).digest)
            }
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.references().count },
                2,
                "removed; removing nothing is no error"
            )
        }
    ]
}
