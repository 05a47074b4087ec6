internal import StorageProtocol

extension Conformance {
    static let records: [ConformanceTest] = [
        ConformanceTest("Records", "what was inserted is read back, byte for byte") { context in
            let engine = try context.open()
            let tree: [UInt8] = [0, 255, 1, 0]
            let body = bytes(#"{"text":"ünï","n":1}"#)
            let handle = try engine.write { (tx) throws(StorageError) in
                try tx.add(DocumentID("a"), body, flags: [.conflicted, .hasAttachments], tree: tree)
            }
            let record = try engine.read { (tx) throws(StorageError) in try tx.stored("a") }
            context.equal(record?.handle, handle, "the handle is the one that insert returned")
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
            let handle = try engine.write { (tx) throws(StorageError) in try tx.add("a", #"{"n":1}"#) }
            try engine.write { (tx) throws(StorageError) in
                try tx.change("a", .unchanged, flags: .conflicted, tree: "t2")
            }
            let record = try engine.read { (tx) throws(StorageError) in try tx.stored("a") }
            context.equal(record?.body, bytes(#"{"n":1}"#), "the body stays")
            context.equal(record?.flags, .conflicted, "new flags")
            context.equal(record?.sequence, 2, "new sequence")
            context.equal(record?.winner, bytes("2-2"), "new winner")
            context.equal(record?.tree, bytes("t2"), "new tree")
            context.equal(record?.handle, handle, "the handle is stable")
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
            let handle = try engine.write { (tx) throws(StorageError) in try tx.add("a", #"{"n":1}"#) }
            try engine.write { (tx) throws(StorageError) in
                try tx.change("a", .replaceKeepingOld(bytes(#"{"n":2}"#), oldSequence: 1))
            }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.json("a"), #"{"n":2}"#, "the new body")
                context.equal(try tx.oldBody(1), #"{"n":1}"#, "the old body")
                context.equal(try tx.oldBodies(), [#"1 of \#(handle.rawValue): {"n":1}"#], "the owner is the record")
            }
        },
        ConformanceTest("Records", "handles are stable over updates and reopening, and each record has its own") {
            context in
            let engine = try context.open()
            var handles: Set<RecordHandle> = []
            try engine.write { (tx) throws(StorageError) in
                for n in 0..<50 {
                    let handle = try tx.add("doc\(n)")
                    handles.insert(handle)
                }
            }
            context.equal(handles.count, 50, "no two records share a handle")
            try engine.write { (tx) throws(StorageError) in
                for n in 0..<50 { try tx.change("doc\(n)", .replace(bytes(#"{"n":\#(n)}"#))) }
            }
            let later = context.row.isPersistent ? try context.reopen(engine) : engine
            try later.read { (tx) throws(StorageError) in
                var found: Set<RecordHandle> = []
                for n in 0..<50 { if let record = try tx.stored("doc\(n)") { found.insert(record.handle) } }
                context.equal(found, handles, "the same handles")
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
        ConformanceTest("Records", "a handle whose record is gone is notFound (404), and dooms nothing") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                let gone = try tx.add("gone")
                // The number of the last record might be used again: this one is not the last.
                try tx.add("a")
                try tx.purge("gone")
                let id = DocumentID("gone")
                let draft = RecordDraft(
                    documentID: id,
                    flags: [],
                    sequence: 10,
                    winner: try RevisionID("1-x"),
                    tree: [],
                    body: .replace(bytes("{}")),
                    liveCount: 1
                )
                context.fails(.notFound, "an update") { () throws(StorageError) in try tx.update(gone, draft) }
                context.fails(.notFound, "a purge") { () throws(StorageError) in
                    try tx.purge(gone, id, sequence: 10, liveCount: 1)
                }
                context.fails(.notFound, "an expiration") { () throws(StorageError) in
                    try tx.setExpiration(5, of: gone)
                }
                context.fails(.notFound, "no expiration") { () throws(StorageError) in
                    try tx.setExpiration(nil, of: gone)
                }
                context.equal(try tx.expiration(of: gone), nil, "no expiration is there to be read")
                try tx.add("b")
            }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.changes(), ["2 a", "4 b"], "the transaction went on, and no sequence was taken")
                context.equal(try tx.hidden(), ["3 gone"], "no entry was added")
            }
        },
    ]
}
