internal import StorageProtocol

extension Conformance {
    static let faults: [ConformanceTest] = [
        ConformanceTest("Faults", "whichever call fails, nothing half-done is visible and the store works on") {
            context in
            let codes = [StorageError.Code.storage, .full, .rejected]
            let plan = FaultPlan()
            let engine = FaultInjectingEngine(try context.open(), faults: plan)
            for number in 1...1_000 {
                let code = codes[number % codes.count]
                plan.arm(failingCall: number, with: StorageError(code, "A fault made by the test."))
                try FaultScript(context, engine, stem: "n\(number)").run(expecting: code)
                if plan.failedCall == nil {
                    context.expect(number > 40, "the calls of the script were failed one by one")
                    return
                }
            }
            context.report("the script comes to run through", "an end", "1,000 failures")
        },
        ConformanceTest("Faults", "a write transaction that swallows a storage failure cannot commit") { context in
            let plan = FaultPlan()
            let engine = FaultInjectingEngine(try context.open(), faults: plan)
            plan.arm(failingCall: 4, with: StorageError(.storage, "A fault made by the test."))
            context.fails(.storage, "the commit of a doomed transaction") { () throws(StorageError) in
                try engine.write { (tx) throws(StorageError) in
                    try tx.setInfo([1], for: "a")
                    try tx.setInfo([2], for: "b")
                    do throws(StorageError) { try tx.setInfo([3], for: "c") } catch {}
                }
            }
            context.equal(plan.failedCall, "setInfo", "the fault was where it was wanted")
            plan.disarm()
            context.equal(try engine.read { (tx) throws(StorageError) in try tx.allInfo().count }, 0, "nothing is left")
        },
    ]
}

/// Work in several transactions, one of whose calls may fail.
private struct FaultScript {
    let context: ConformanceContext
    let engine: FaultInjectingEngine
    let stem: String

    init(_ context: ConformanceContext, _ engine: FaultInjectingEngine, stem: String) {
        self.context = context
        self.engine = engine
        self.stem = stem
    }

    func run(expecting code: StorageError.Code) throws {
        let base = engine.base
        var good = try base.read { (tx) throws(StorageError) in try tx.contents() }
        var counters = try base.read { (tx) throws(StorageError) in try tx.counters() }
        do throws(StorageError) {
            for number in 0..<3 {
                try engine.write { (tx) throws(StorageError) in try step(number, tx) }
                good = try base.read { (tx) throws(StorageError) in try tx.contents() }
                counters = try base.read { (tx) throws(StorageError) in try tx.counters() }
            }
            _ = try engine.read { (tx) throws(StorageError) in try tx.contents() }
            context.equal(engine.faults.failedCall, nil, "a failure comes out")
        } catch {
            context.equal(error.code, code, "the failure comes out as what it is")
        }
        let call = engine.faults.failedCall ?? "none"
        let now = try base.read { (tx) throws(StorageError) in try tx.contents() }
        context.equal(now.difference(from: good), nil, "after \(call) failed, the last commit is what is visible")
        let after = try base.read { (tx) throws(StorageError) in try tx.counters() }
        context.equal(after, counters, "after \(call) failed, the counters too")
        context.checkSound(base, "after \(call) failed")
        engine.faults.disarm()
        try engine.write { (tx) throws(StorageError) in try tx.setInfo(bytes(call), for: "works") }
    }

    private func step(_ number: Int, _ tx: any WriteTransaction) throws(StorageError) {
        switch number {
        case 0:
            try tx.writeEverything(stem)
        case 1:
            try tx.change("\(stem)1", .replaceKeepingOld(bytes(#"{"n":3}"#), oldSequence: 1 << 40))
            try tx.removeRevisionBody(at: 1 << 40)
            let ids = [try DocumentID("\(stem)3"), try DocumentID("\(stem)1")]
            try tx.records(ids: ids, fields: .all) { (_, _) throws(StorageError) in true }
            let last = try tx.counters().lastSequence
            _ = try tx.apply([
                .insert(try RestoringBed.draft("\(stem)3", at: last + 1)), .purge(ids[0], sequence: last + 2),
            ])
            try tx.raiseLastSequence(to: last + 5)
            try tx.expire("\(stem)1", at: nil)
        default:
            let sequence = try tx.purge("\(stem)1")
            try tx.emit(stem, "\(stem)1", at: sequence, [])
            try tx.trimHiddenEntries(through: sequence - 1)
            try tx.removeIndexEntries(stem, in: .all)
            try tx.dropIndex(stem)
            _ = try tx.reclaimDroppedIndexes(for: .zero)
            try tx.removeLocalDocument(try DocumentID("_local/\(stem)"))
            try tx.setInfo(nil, for: stem)
            try tx.removeBlobReference(.init(repeating: bytes(stem)[0], count: 20))
        }
    }
}
