internal import StorageProtocol

/// Builds one store in a single opening, and another one in two.
struct BuildingBed {
    private let context: ConformanceContext

    init(_ context: ConformanceContext) { self.context = context }

    func run() throws {
        let atOnce = try context.openBuilding()
        for part in 0..<3 { try build(part, in: atOnce) }
        // A store in memory cannot be opened a second time.
        guard context.row.isPersistent else { return }
        for end in 0..<3 {
            let directory = try context.makeDirectory()
            var engine = try context.open(directory, create: true, isBeingBuilt: true)
            for part in 0...end { try build(part, in: engine) }
            // What is not committed is lost with the engine.
            let lost = try engine.beginWrite()
            try lost.insert(RestoringBed.draft("lost", at: 3))
            lost.rollback()
            context.close(engine)
            context.fails(.badParameter, "making another one in its place") { () throws(StorageError) in
                _ = try context.open(directory, create: true, isBeingBuilt: true)
            }
            engine = try context.open(directory, isBeingBuilt: true)
            let counters = try engine.read { (tx) throws(StorageError) in try tx.counters() }
            context.equal(counters.lastSequence, end == 2 ? 1_000 : 60, "it has what was committed")
            // The last part a second time: what already exists stays unchanged.
            for part in end..<3 { try build(part, in: engine, again: part == end) }
            try context.expectTheSame(engine, as: atOnce)
            context.close(engine)
            engine = try context.open(directory)
            try context.expectTheSame(engine, as: atOnce)
            try engine.write { (tx) throws(StorageError) in
                context.fails(.badParameter, "a hidden entry once it is a store as any") { () throws(StorageError) in
                    try tx.hide(DocumentID("b"), at: 41)
                }
                context.fails(.badParameter, "a free sequence once it is a store as any") { () throws(StorageError) in
                    try tx.insert(RestoringBed.draft("b", at: 41))
                }
            }
        }
    }

    /// - Parameter again: Whether this part already exists. Records and hidden entries, which can only be added once,
    ///   are then omitted.
    private func build(_ part: Int, in engine: any StorageEngine, again: Bool = false) throws(StorageError) {
        try engine.write { (tx) throws(StorageError) in
            switch part {
            case 0:
                guard !again else { return }
                for sequence in [60, 7, 50] as [UInt64] {
                    try tx.insert(RestoringBed.draft("d\(sequence)", at: sequence))
                }
                try tx.hide(DocumentID("gone"), at: 20)
            case 1:
                if !again {
                    // Below the last one, and above the lowest.
                    for sequence in [1, 30] as [UInt64] {
                        try tx.insert(RestoringBed.draft("d\(sequence)", at: sequence, flags: .deleted))
                    }
                    try tx.hide(DocumentID("gone"), at: 40)
                }
                try tx.putBody("[]", at: 5, owner: "d7")
                try tx.putLocal("_local/a", "0-1", "{}")
                try tx.expire("d7", at: 9)
                try tx.setInfo([1], for: "a")
                try tx.makeIndex("x")
                try tx.emit("x", "d7", at: 7, ["a", "b"])
            default:
                try tx.restore(StoreCounters(liveDocuments: 3, lastSequence: 1_000, changeCounter: 77))
            }
        }
    }
}
