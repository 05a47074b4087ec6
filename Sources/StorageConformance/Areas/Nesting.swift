internal import StorageProtocol

extension Conformance {
    static let nesting: [ConformanceTest] = [
        ConformanceTest("Nesting", "closures may read through the same transaction, each reader inside each") {
            context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.writeEverything("a")
                try tx.writeEverything("b")
            }
            func check(_ tx: any ReadTransaction) throws(StorageError) {
                let all = try tx.contents()
                var closures = 0
                func inside() throws(StorageError) -> Bool {
                    closures += 1
                    context.equal(try tx.contents().difference(from: all), nil, "the inner reader sees the same")
                    return true
                }
                try tx.records(in: .all, descending: false, fields: .all) { (view) throws(StorageError) in
                    let body = view.bodyCopy()
                    let goesOn = try inside()
                    context.equal(view.bodyCopy(), body, "a view is valid until its closure returns")
                    return goesOn
                }
                try tx.records(sequences: 0...UInt64.max, descending: true, fields: .all) {
                    (view) throws(StorageError) in
                    let body = view.bodyCopy()
                    let goesOn = try inside()
                    context.equal(view.bodyCopy(), body, "a view by sequence too")
                    return goesOn
                }
                _ = try tx.record(DocumentID("a1"), fields: .all) { (view) throws(StorageError) in
                    let body = view.bodyCopy()
                    _ = try inside()
                    context.equal(view.bodyCopy(), body, "and that of a single record")
                }
                try tx.records(ids: [DocumentID("b1"), DocumentID("no"), DocumentID("a1")], fields: .all) {
                    (_, view) throws(StorageError) in
                    let body = view.bodyCopy()
                    let goesOn = try inside()
                    context.equal(view.bodyCopy(), body, "and that of one among many")
                    return goesOn
                }
                try tx.revisionBodies { (_, _, json) throws(StorageError) in
                    let before = text(json)
                    let goesOn = try inside()
                    context.equal(text(json), before, "and the bytes of a kept body")
                    return goesOn
                }
                _ = try tx.revisionBody(at: 1) { (_) throws(StorageError) in _ = try inside() }
                try tx.hiddenEntries(sequences: 0...UInt64.max) { (_, _) throws(StorageError) in try inside() }
                try tx.localDocuments { (_, _, _) throws(StorageError) in try inside() }
                _ = try tx.localDocument(DocumentID("_local/a")) { (_, _) throws(StorageError) in _ = try inside() }
                try tx.expirations(through: .max) { (_, _) throws(StorageError) in try inside() }
                try tx.indexRows("a", in: .all, descending: false) { (view) throws(StorageError) in
                    let key = view.withKey { text($0) }
                    let goesOn = try inside()
                    context.equal(view.withKey { text($0) }, key, "and an index row's")
                    return goesOn
                }
                try tx.indexEntries("a", in: .all, descending: false) { (_, _) throws(StorageError) in try inside() }
                try tx.blobReferences { (_) throws(StorageError) in try inside() }
                context.equal(closures, 22, "every reader called its closure")
            }
            try engine.read { (tx) throws(StorageError) in try check(tx) }
            try engine.write { (tx) throws(StorageError) in try check(tx) }
        },
        ConformanceTest("Nesting", "a listing inside a listing of the same kind does not disturb it") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in for n in 0..<4 { try tx.add("d\(n)") } }
            try engine.read { (tx) throws(StorageError) in
                var pairs: [String] = []
                try tx.records(in: .all, descending: false, fields: .metadata) { (outer) throws(StorageError) in
                    let first = outer.withID { text($0) }
                    for second in try tx.ids(descending: true, limit: 2) { pairs.append(first + second) }
                    return true
                }
                let expected = (0..<4).flatMap { ["d\($0)d3", "d\($0)d2"] }
                context.equal(pairs, expected, "all pairs")
            }
        },
        ConformanceTest("Nesting", "a listing whose closure ends the transaction goes no further (503)") { context in
            let engine = try context.open()
            for name in ["a", "b"] { try engine.write { (tx) throws(StorageError) in try tx.writeEverything(name) } }
            func check(
                _ what: String,
                _ list: (any ReadTransaction, _ inside: () -> Bool) throws(StorageError) -> Void
            ) throws(StorageError) {
                for tx in [try engine.beginRead(), try engine.beginWrite()] {
                    var closures = 0
                    context.fails(.notOpen, what) { () throws(StorageError) in
                        try list(tx) {
                            closures += 1
                            tx.end()
                            return true
                        }
                    }
                    context.equal(closures, 1, "nothing more is handed out")
                }
            }
            try check("records") { (tx, inside) throws(StorageError) in
                try tx.records(in: .all, descending: false, fields: .all) { (_) throws(StorageError) in inside() }
            }
            try check("records by sequence") { (tx, inside) throws(StorageError) in
                try tx.records(sequences: 0...UInt64.max, descending: true, fields: .all) { (_) throws(StorageError) in
                    inside()
                }
            }
            try check("bodies") { (tx, inside) throws(StorageError) in
                try tx.revisionBodies(after: nil) { (_, _, _) throws(StorageError) in inside() }
            }
            try check("local documents") { (tx, inside) throws(StorageError) in
                try tx.localDocuments(after: nil) { (_, _, _) throws(StorageError) in inside() }
            }
            try check("hidden entries") { (tx, inside) throws(StorageError) in
                try tx.hiddenEntries(sequences: 0...UInt64.max) { (_, _) throws(StorageError) in inside() }
            }
            try check("rows") { (tx, inside) throws(StorageError) in
                try tx.indexRows("a", in: .all, descending: false) { (_) throws(StorageError) in inside() }
            }
            try check("entries") { (tx, inside) throws(StorageError) in
                try tx.indexEntries("a", in: .all, descending: false) { (_, _) throws(StorageError) in inside() }
            }
            try check("documents of an index") { (tx, inside) throws(StorageError) in
                try tx.indexDocuments("a", after: nil) { (_) throws(StorageError) in inside() }
            }
            try check("references") { (tx, inside) throws(StorageError) in
                try tx.blobReferences(after: nil) { (_) throws(StorageError) in inside() }
            }
        },
        ConformanceTest("Nesting", "a write inside a reading closure is a callback error (593) and changes nothing") {
            context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.writeEverything("a") }
            let before = try engine.read { (tx) throws(StorageError) in try tx.contents() }
            try engine.write { (tx) throws(StorageError) in
                let id = DocumentID("a1")
                var asked = 0
                func refuse(_ what: String, _ body: () throws(StorageError) -> Void) {
                    asked += 1
                    context.fails(.callback, "\(what) inside a reading closure", body)
                }
                func refuseAll() {
                    refuse("insert") { () throws(StorageError) in try tx.add("new") }
                    refuse("update") { () throws(StorageError) in try tx.change("a1") }
                    refuse("purge") { () throws(StorageError) in
                        try tx.purge(id, sequence: 1_000)
                    }
                    refuse("putRevisionBody") { () throws(StorageError) in
                        try tx.putBody("{}", at: 1, owner: "a1")
                    }
                    refuse("apply") { () throws(StorageError) in _ = try tx.apply([.purge(id, sequence: 1_000)]) }
                    refuse("raiseLastSequence") { () throws(StorageError) in try tx.raiseLastSequence(to: 1_000) }
                    refuse("hide") { () throws(StorageError) in try tx.hide(id, at: 1_000) }
                    refuse("restore") { () throws(StorageError) in try tx.restore(try tx.counters()) }
                    refuse("removeRevisionBody") { () throws(StorageError) in try tx.removeRevisionBody(at: 1) }
                    refuse("trimHiddenEntries") { () throws(StorageError) in
                        try tx.trimHiddenEntries(through: .max)
                    }
                    refuse("putLocalDocument") { () throws(StorageError) in
                        try tx.putLocal("_local/new", "1-n", "{}")
                    }
                    refuse("removeLocalDocument") { () throws(StorageError) in
                        try tx.removeLocalDocument(DocumentID("_local/a"))
                    }
                    refuse("setExpiration") { () throws(StorageError) in try tx.expire("a1", at: 5) }
                    refuse("setInfo") { () throws(StorageError) in try tx.setInfo([1], for: "new") }
                    refuse("setIndexState") { () throws(StorageError) in try tx.makeIndex("new") }
                    refuse("replaceIndexRows") { () throws(StorageError) in
                        try tx.emit("a", "a1", at: 2, ["new"])
                    }
                    refuse("putIndexEntry") { () throws(StorageError) in
                        try tx.putIndexEntry("a", key: [9], value: [])
                    }
                    refuse("removeIndexEntries") { () throws(StorageError) in
                        try tx.removeIndexEntries("a", in: .all)
                    }
                    refuse("dropIndex") { () throws(StorageError) in try tx.dropIndex("a") }
                    refuse("setBlobReference") { () throws(StorageError) in
                        try tx.setBlobReference(
                            BlobReference(digest: .init(repeating: 1, count: 20), storageName: "", length: 0, count: 0)
                        )
                    }
                    refuse("removeBlobReference") { () throws(StorageError) in
                        try tx.removeBlobReference(.init(repeating: bytes("a")[0], count: 20))
                    }
                }
                _ = try tx.record(id, fields: .metadata) { _ throws(StorageError) in refuseAll() }
                try tx.records(in: .all, descending: false, fields: .metadata) { _ throws(StorageError) in
                    refuseAll()
                    return false
                }
                try tx.blobReferences { _ throws(StorageError) in
                    refuseAll()
                    return false
                }
                try tx.localDocuments { _, _, _ throws(StorageError) in
                    refuseAll()
                    return false
                }
                context.equal(asked, 4 * 21, "every write was tried in four closures")
                context.equal(try tx.contents().difference(from: before), nil, "nothing was changed")
                try tx.add("after")
            }
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.ids() },
                ["a1", "after"],
                "a refusal does not doom"
            )
        },
        ConformanceTest("Nesting", "after a closure threw, the write transaction writes again") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.add("a")
                context.fails(.cancelled, "the closure's error") { () throws(StorageError) in
                    try tx.records(in: .all, descending: false, fields: .all) { _ throws(StorageError) in
                        throw StorageError(.cancelled, "Enough of this.")
                    }
                }
                try tx.add("b")
            }
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.ids() },
                ["a", "b"],
                "the transaction went on"
            )
        },
    ]
}
