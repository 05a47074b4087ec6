internal import StorageProtocol

/// Restores stores of one engine into those of another.
struct RestoringBed {
    private let context: ConformanceContext
    private let source: ConformanceContext

    init(_ context: ConformanceContext, from source: ConformanceContext) {
        self.context = context
        self.source = source
    }

    static func draft(
        _ id: String,
        at sequence: UInt64,
        flags: DocumentFlags = []
    ) throws(StorageError) -> RecordDraft {
        RecordDraft(
            documentID: try DocumentID(id),
            flags: flags,
            sequence: sequence,
            winner: try RevisionID("1-\(sequence)"),
            tree: [1, 2, 3],
            body: .replace(bytes("{}"))
        )
    }

    func run() throws {
        try compare(documents: 0, commits: 0)
        // A change counter below the sequences, and one above.
        try compare(documents: 90, commits: 0)
        try compare(documents: 5, commits: 60)
    }

    private func compare(documents: Int, commits: Int) throws {
        let original = try source.open()
        if documents > 0 { try fill(original, documents) }
        for n in 0..<commits {
            try original.write { (tx) throws(StorageError) in try tx.setInfo(bytes("\(n)"), for: "n") }
        }
        let directory = try context.makeDirectory()
        var restored = try context.open(directory, create: true, isBeingBuilt: true)
        try StoreRestorer(from: original, to: restored).run()
        try context.expectTheSame(restored, as: original)
        context.checkSound(restored, "after it was restored")
        if context.row.isPersistent {
            restored = try context.reopen(restored)
            try context.expectTheSame(restored, as: original)
        }
        if context.row.factory.capabilities.canCopy {
            let copy = try context.makeDirectory()
            try restored.copy(toDirectory: copy) { (_, _) throws(StorageError) in }
            try context.expectTheSame(try context.open(copy), as: original)
        }
        // From here on, the same changes have the same effect on both.
        for engine in [original, restored] {
            let before = try engine.read { (tx) throws(StorageError) in try tx.counters().changeCounter }
            try engine.write { (tx) throws(StorageError) in
                try tx.add("later")
                if documents > 0 {
                    try tx.emit("x", "d1", at: 1 << 40, ["0", "1"])
                    try tx.emit("bare", "d3", at: 1 << 40, ["3", "changed"])
                    try tx.change("d1", .replaceKeepingOld(bytes("[]"), oldSequence: 1 << 50))
                    try tx.purge("d2")
                }
                try tx.setInfo([9], for: "later")
            }
            let after = try engine.read { (tx) throws(StorageError) in try tx.counters().changeCounter }
            context.expect(after > before, "the change counter grows")
        }
        let wanted = try original.read { (tx) throws(StorageError) in try tx.contents() }
        let found = try restored.read { (tx) throws(StorageError) in try tx.contents() }
        context.equal(found.difference(from: wanted), nil, "the same after the same writes")
        source.close(original)
    }

    /// Writes something of every kind.
    private func fill(_ engine: any StorageEngine, _ documents: Int) throws(StorageError) {
        let long = String(repeating: "long", count: 400)
        try engine.write { (tx) throws(StorageError) in
            for n in 0..<documents { try tx.add("d\(n)", #"{"n":\#(n)}"#, flags: n % 9 == 4 ? .deleted : []) }
            for name in ["Z", "caf\u{E9}", "cafe\u{301}", long, long + "2"] { try tx.add(name, tree: long) }
            for n in stride(from: 1, to: documents, by: 2) {
                let old = try tx.stored("d\(n)")?.sequence ?? 0
                try tx.change("d\(n)", .replaceKeepingOld(bytes(#"{"m":\#(n)}"#), oldSequence: old), flags: .conflicted)
            }
            try tx.putBody(#"{"other":1}"#, at: 1 << 50, owner: long)
            for n in stride(from: 0, to: documents, by: 3) { try tx.expire("d\(n)", at: Int64(n % 4) - 1) }
            for name in ["Z", long, "cafe\u{301}"] { try tx.expire(name, at: 2) }
            for n in stride(from: 0, to: documents, by: 5) where n != 0 { try tx.purge("d\(n)") }
            try tx.purge("caf\u{E9}")
            try tx.add("caf\u{E9}", #"{"again":true}"#)
            for n in 0..<20 { try tx.putLocal("_local/\(n)", "0-\(n)", #"{"n":\#(n)}"#) }
            try tx.putLocal("_local/\(long)", "1-l", "{}")
            for key in ["", "a", "é", long] { try tx.setInfo(bytes(key), for: key) }
            for n in UInt8(0)..<12 {
                let digest = [n] + [UInt8](repeating: 0, count: 19)
                try tx.setBlobReference(
                    BlobReference(digest: digest, storageName: "b\(n)", length: UInt64(n) << 40, count: UInt64(n % 3))
                )
            }
        }
        try engine.write { (tx) throws(StorageError) in
            try tx.setIndexState("x", IndexState(version: "1", collationVersion: "c", lastSequence: 7))
            try tx.setIndexState("bare", IndexState(version: "2", collationVersion: "c", keepsSequences: false))
            try tx.makeIndex("caf\u{E9}")
            for n in 0..<documents {
                let keys = (0..<(n % 4)).map { "\(n % 11 == 0 ? long : "")\(n * 31 % 17)\($0)" }
                try tx.emit("x", "d\(n)", at: UInt64(n + 1), keys)
                try tx.emit("bare", "d\(n)", at: UInt64(n + 1), Array(keys.prefix(1)))
            }
            try tx.emit("x", long, at: 3, ["", long])
            var entries = IndexEntries()
            for key in ["", "a", "b", long, long + "2"] {
                unsafe entries.append(key: bytes(key).span.bytes, value: bytes("\(key.utf8.count)").span.bytes)
            }
            for n in 0..<40 { unsafe entries.append(key: bytes("\(n)").span.bytes, value: bytes("").span.bytes) }
            try tx.putIndexEntries("x", entries)
        }
        try engine.write { (tx) throws(StorageError) in
            let last = try tx.counters().lastSequence
            try tx.trimHiddenEntries(through: last - 2)
            try tx.purge("Z")
            try tx.raiseLastSequence(to: last + 1_000)
        }
    }
}

extension ConformanceContext {
    /// Creates a store that is being built, in a directory of its own.
    func openBuilding() throws -> any StorageEngine {
        try open(try makeDirectory(), create: true, isBeingBuilt: true)
    }
}
