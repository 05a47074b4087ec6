internal import StorageProtocol

extension Conformance {
    static let bodies: [ConformanceTest] = [
        ConformanceTest("Bodies", "bodies of other revisions are kept, found, listed in order and dropped") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.add("a")
                try tx.add("b")
                try tx.change("a")
                try tx.change("b")
                try tx.putBody(#"{"of":"b"}"#, at: 2, owner: "b")
                try tx.putBody(#"{"of":"a"}"#, at: 1, owner: "a")
                context.equal(try tx.oldBody(1), #"{"of":"a"}"#, "seen by the transaction itself")
            }
            try engine.read { (tx) throws(StorageError) in
                let all = [#"1 of a: {"of":"a"}"#, #"2 of b: {"of":"b"}"#]
                context.equal(try tx.oldBodies(), all, "all, by sequence")
                context.equal(try tx.oldBodies(limit: 1), [all[0]], "until the closure returns false")
                context.equal(try tx.oldBodies(after: 0), all, "behind a sequence")
                context.equal(try tx.oldBodies(after: 1), [all[1]], "behind that of a body")
                for last in [2, 1 << 40, UInt64(Int64.max), .max] {
                    context.equal(try tx.oldBodies(after: last), [], "none behind \(last)")
                }
                context.equal(try tx.oldBody(2), #"{"of":"b"}"#, "one")
                context.equal(try tx.oldBody(3), nil, "none at a winner's sequence")
                context.equal(try tx.oldBody(0), nil, "none at zero")
                context.equal(try tx.oldBody(.max), nil, "none at the largest number")
            }
            try engine.write { (tx) throws(StorageError) in
                try tx.removeRevisionBody(at: 1)
                try tx.removeRevisionBody(at: 1)
                try tx.removeRevisionBody(at: 99)
            }
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.oldBody(1) },
                nil,
                "dropped; dropping nothing is no error"
            )
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.oldBodies().count },
                1,
                "the others stay"
            )
        },
        ConformanceTest("Bodies", "a document may keep many bodies, and its winner's is not among them") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.add("a", #"{"n":1}"#)
                for n in UInt64(2)...40 {
                    try tx.change("a", .replaceKeepingOld(bytes(#"{"n":\#(n)}"#), oldSequence: n - 1))
                }
            }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.oldBodies().count, 39, "one for each older revision")
                for n in UInt64(1)...39 { context.equal(try tx.oldBody(n), #"{"n":\#(n)}"#, "each as it was") }
                context.equal(try tx.json("a"), #"{"n":40}"#, "the winner's stands in the record")
            }
        },
    ]
}
