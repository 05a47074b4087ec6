internal import StorageProtocol

extension Conformance {
    static let records: [ConformanceTest] = [
        ConformanceTest("Records", "what was inserted is read back, byte for byte") { context in
            let engine = try context.open()
            let tree: [UInt8] = [0, 255, 1, 0]
            let body = bytes(#"{"text":"ünï","n":1}"#)
            try engine.write { (tx) throws(StorageError) in
                try tx.add(DocumentID("a"), body, flags: [.conflicted, .hasAttachments], tree: tree)
            }
            let record = try engine.read { (tx) throws(StorageError) in try tx.stored("a") }
            context.equal(record?.flags, [.conflicted, .hasAttachments], "the flags")
            context.equal(record?.sequence, 1, "the sequence")
            context.equal(record?.winner, bytes("1-1"), "the winner")
            context.equal(record?.tree, tree, "the tree, zero bytes included")
            context.equal(record?.body, body, "the body")
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.stored("b") },
                nil,
                "no record for another ID"
            )
        },
        ConformanceTest("Records", "a reader gets at least the fields it asks for") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.add("a", #"{"n":1}"#, tree: "the tree") }
            try engine.read { (tx) throws(StorageError) in
                for raw in UInt8(0)...7 {
                    let fields = RecordFields(rawValue: raw)
                    var views = 0
                    func check(_ view: borrowing RecordView) throws(StorageError) {
                        views += 1
                        context.equal(view.withID { text($0) }, "a", "the ID always comes")
                        context.equal(view.sequence, 1, "the sequence always comes")
                        if fields.contains(.winner) {
                            context.equal(view.withWinner { text($0) }, "1-1", "the winner when asked for")
                        }
                        if fields.contains(.tree) {
                            context.equal(view.withTree { text($0) }, "the tree", "the tree when asked for")
                        }
                        if fields.contains(.body) {
                            context.equal(view.withBody { text($0) }, #"{"n":1}"#, "the body when asked for")
                            context.equal(view.bodyCopy(), bytes(#"{"n":1}"#), "the body's copy")
                        }
                    }
                    _ = try tx.record(DocumentID("a"), fields: fields) { (view) throws(StorageError) in
                        try check(view)
                    }
                    try tx.records(in: .all, descending: false, fields: fields) { (view) throws(StorageError) in
                        try check(view)
                        return true
                    }
                    try tx.records(sequences: 1...1, descending: false, fields: fields) { (view) throws(StorageError) in
                        try check(view)
                        return true
                    }
                    context.equal(views, 3, "all three readers find the record")
                }
            }
        },
        ConformanceTest("Records", "update with `.unchanged` keeps the body and replaces the rest") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.add("a", #"{"n":1}"#) }
            try engine.write { (tx) throws(StorageError) in
                try tx.change("a", .unchanged, flags: .conflicted, tree: "t2")
            }
            let record = try engine.read { (tx) throws(StorageError) in try tx.stored("a") }
            context.equal(record?.body, bytes(#"{"n":1}"#), "the body stays")
            context.equal(record?.flags, .conflicted, "new flags")
            context.equal(record?.sequence, 2, "new sequence")
            context.equal(record?.winner, bytes("2-2"), "new winner")
            context.equal(record?.tree, bytes("t2"), "new tree")
        },
        ConformanceTest("Records", "update with `.replace` drops the old body") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.add("a", #"{"n":1}"#) }
            try engine.write { (tx) throws(StorageError) in try tx.change("a", .replace(bytes(#"{"n":2}"#))) }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.json("a"), #"{"n":2}"#, "the new body")
                context.equal(try tx.oldBodies(), [], "the old one is not kept")
            }
        },
        ConformanceTest("Records", "update with `.replaceKeepingOld` keeps the old body under its sequence") {
            context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.add("a", #"{"n":1}"#) }
            try engine.write { (tx) throws(StorageError) in
                try tx.change("a", .replaceKeepingOld(bytes(#"{"n":2}"#), oldSequence: 1))
            }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.json("a"), #"{"n":2}"#, "the new body")
                context.equal(try tx.oldBody(1), #"{"n":1}"#, "the old body")
                context.equal(try tx.oldBodies(), [#"1 of a: {"n":1}"#], "the owner is the document")
            }
        },
        ConformanceTest("Records", "a document is updated whatever was looked up or written before") { context in
            let engine = try context.open()
            let names = (0..<40).map { "doc\($0)" }
            try engine.write { (tx) throws(StorageError) in
                for name in names { try tx.add(name) }
                // The store remembers at most the last of these.
                for name in names { try tx.change(name, .replaceKeepingOld(bytes("[1]"), oldSequence: 1_000)) }
                _ = try tx.stored("doc7")
                try tx.change("doc9", .replace(bytes("[2]")))
                try tx.change("doc7", .replace(bytes("[3]")))
                _ = try tx.stored("no such document")
                try tx.change("doc7", .unchanged, flags: .deleted)
                try tx.purge("doc8")
                try tx.add("doc8", "[4]")
                try tx.change("doc8", .replaceKeepingOld(bytes("[5]"), oldSequence: 2_000))
            }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.json("doc7"), "[3]", "the document that was looked up and passed over")
                context.equal(try tx.stored("doc7")?.flags, .deleted, "with its last flags")
                context.equal(try tx.json("doc8"), "[5]", "the one that was purged and came again")
                context.equal(try tx.json("doc9"), "[2]", "the one that was not looked up")
                context.equal(
                    try tx.oldBodies(),
                    ["1000 of doc39: {}", "2000 of doc8: [4]"],
                    "kept bodies are those of their documents"
                )
                context.equal(try tx.ids().count, 40, "no document was lost")
                context.equal(try tx.counters().liveDocuments, 39, "and all are counted")
            }
        },
        ConformanceTest("Records", "inserting a document that has a record is refused and changes nothing") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.add("a", #"{"n":1}"#) }
            context.fails(nil, "a second record of one ID") { () throws(StorageError) in
                _ = try engine.write { (tx) throws(StorageError) in try tx.add("a", #"{"n":2}"#) }
            }
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.json("a") },
                #"{"n":1}"#,
                "the first record stays"
            )
        },
        ConformanceTest("Records", "a document without a record is notFound (404), and dooms nothing", check404),
        ConformanceTest("Records", "the order of refusals: 495 for what was passed before 404 and 412") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.add("a")
                let none = DocumentID("none")
                context.fails(.badParameter, "an update at a used sequence") { () throws(StorageError) in
                    try tx.update(try draft(none, at: 1))
                }
                context.fails(.badParameter, "an update that keeps a body where none can be") {
                    () throws(StorageError) in
                    try tx.update(try draft(none, at: 5, .replaceKeepingOld([0x7B, 0x7D], oldSequence: 1 << 63)))
                }
                context.fails(.badParameter, "an insert at a used sequence") { () throws(StorageError) in
                    try tx.insert(try draft(DocumentID("a"), at: 1))
                }
                context.fails(.badParameter, "an insert beyond all sequences") { () throws(StorageError) in
                    try tx.insert(try draft(none, at: 1 << 63))
                }
                context.fails(.badParameter, "an insert without a body") { () throws(StorageError) in
                    try tx.insert(try draft(DocumentID("a"), at: 5, .unchanged))
                }
                context.fails(.badParameter, "a purge at a used sequence") { () throws(StorageError) in
                    try tx.purge(none, sequence: 1)
                }
                context.fails(.badParameter, "a body beyond all sequences") { () throws(StorageError) in
                    try tx.putBody("{}", at: 1 << 63, owner: "none")
                }
                context.fails(.exists, "a second insert") { () throws(StorageError) in
                    try tx.insert(try draft(DocumentID("a"), at: 5))
                }
                try tx.add("b")
            }
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.changes() },
                ["1 a", "2 b"],
                "nothing was written, and no sequence taken"
            )
        },
    ]

    private static func draft(
        _ id: DocumentID,
        at sequence: UInt64,
        _ body: RecordDraft.BodyChange = .replace([0x7B, 0x7D])
    ) throws(StorageError) -> RecordDraft {
        RecordDraft(
            documentID: id,
            flags: [],
            sequence: sequence,
            winner: try RevisionID("1-x"),
            tree: [],
            body: body
        )
    }

    @Sendable
    private static func check404(_ context: ConformanceContext) throws {
        let engine = try context.open()
        try engine.write { (tx) throws(StorageError) in
            try tx.add("gone")
            try tx.add("a")
            try tx.purge("gone")
            func check(_ id: String, _ when: String) throws(StorageError) {
                let id = try DocumentID(id)
                context.fails(.notFound, "an update \(when)") { () throws(StorageError) in
                    try tx.update(try draft(id, at: 10))
                }
                context.fails(.notFound, "an update that keeps the old body \(when)") { () throws(StorageError) in
                    try tx.update(try draft(id, at: 10, .replaceKeepingOld([0x7B, 0x7D], oldSequence: 1)))
                }
                context.fails(.notFound, "a purge \(when)") { () throws(StorageError) in
                    try tx.purge(id, sequence: 10)
                }
                context.fails(.notFound, "a body \(when)") { () throws(StorageError) in
                    try tx.putBody("{}", at: 1, owner: id.string)
                }
                context.fails(.notFound, "an expiration \(when)") { () throws(StorageError) in
                    try tx.setExpiration(5, of: id)
                }
                context.fails(.notFound, "no expiration \(when)") { () throws(StorageError) in
                    try tx.setExpiration(nil, of: id)
                }
                context.equal(try tx.expiration(of: id), nil, "no expiration is there to be read \(when)")
            }
            try check("gone", "after a purge")
            try check("never", "of a document that never was")
            _ = try tx.stored("a")
            try check("never", "after another was looked up")
            try tx.add("b")
            try check("gone", "after an insert")
        }
        try engine.read { (tx) throws(StorageError) in
            context.equal(try tx.changes(), ["2 a", "4 b"], "the transaction went on, and no sequence was taken")
            context.equal(try tx.hidden(), ["3 gone"], "no entry was added")
            context.equal(try tx.oldBodies(), [], "and no body")
            context.equal(try tx.counters().liveDocuments, 2, "and the count is right")
        }
    }
}
