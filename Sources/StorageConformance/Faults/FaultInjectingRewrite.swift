internal import StorageProtocol

/// A rewrite whose steps may fail. `cancel` never does.
final class FaultInjectingRewrite: StorageRewrite {
    private let base: any StorageRewrite
    private let faults: FaultPlan

    init(_ base: any StorageRewrite, _ faults: FaultPlan) {
        self.base = base
        self.faults = faults
    }

    func step(limit: Duration) throws(StorageError) -> RewriteProgress {
        _ = try faults.admit("step")
        return try base.step(limit: limit)
    }

    func finish() throws(StorageError) {
        _ = try faults.admit("finish")
        try base.finish()
    }

    func cancel() { base.cancel() }
}
