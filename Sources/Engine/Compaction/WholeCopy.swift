internal import StorageProtocol

/// The rewrite of an engine that cannot do it in steps: everything happens in `finish`, while writers wait.
final class WholeCopy: StorageRewrite {
    private let engine: any StorageEngine
    private let directory: String
    private let options: StorageCopyOptions

    init(of engine: any StorageEngine, to directory: String, _ options: StorageCopyOptions) {
        self.engine = engine
        self.directory = directory
        self.options = options
    }

    func step(limit: Duration) throws(StorageError) -> RewriteProgress {
        RewriteProgress(done: 0, total: 1, isComplete: true)
    }

    func finish() throws(StorageError) {
        try engine.copy(toDirectory: directory, options: options) { (_, _) throws(StorageError) in }
    }

    func cancel() {}
}
