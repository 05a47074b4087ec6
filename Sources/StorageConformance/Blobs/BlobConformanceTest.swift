internal import StorageProtocol

/// A test of one promise of the blob store's contract.
public struct BlobConformanceTest: Sendable, CustomStringConvertible {
    /// What is promised.
    public let promise: String
    private let body: @Sendable (BlobContext) throws -> Void

    init(_ promise: String, _ body: @escaping @Sendable (BlobContext) throws -> Void) {
        self.promise = promise
        self.body = body
    }

    public var description: String { "Blobs: \(promise)" }

    /// Runs the test on a new store. Afterwards the content of every blob must still match its name.
    ///
    /// - Throws: `ConformanceFailures` with every broken promise; errors of creating directories.
    public func run(on row: BlobCase) throws {
        let directory = try row.makeDirectory()
        defer { row.removeDirectory(directory) }
        let context = BlobContext(row: row, directory: directory, store: try row.makeStore(directory))
        do {
            try body(context)
            try context.checkAfterTest()
        } catch let error as StorageError {
            context.report("the calls of this test succeed", "no error", "\(error) (\(error.location))")
        }
        if !context.failures.isEmpty {
            throw ConformanceFailures(test: description, subject: row.name, failures: context.failures)
        }
    }
}

/// The environment of a blob test.
struct BlobContext: Expecting {
    let row: BlobCase
    let directory: String
    let store: any BlobStore
    let broken = BrokenPromises()
    let damaged = Flag()

    /// Writes and publishes a blob.
    @discardableResult
    func put(_ content: [UInt8], chunk: Int = 1 << 16) throws(StorageError) -> BlobContent {
        let writer = try write(content, chunk: chunk)
        let made = try writer.finish()
        try writer.publish()
        return made
    }

    /// Writes a blob in pieces of `chunk` bytes.
    func write(_ content: [UInt8], chunk: Int = 1 << 16) throws(StorageError) -> any BlobWriter {
        let writer = try store.makeWriter()
        var start = 0
        while start < content.count {
            let end = min(start + chunk, content.count)
            try unsafe writer.append(Array(content[start..<end]).span.bytes)
            start = end
        }
        return writer
    }

    func names() throws(StorageError) -> [String] {
        var names: [String] = []
        try store.names { (name) throws(StorageError) in
            names.append(name)
            return true
        }
        return names.sorted()
    }

    /// Reads a whole blob; nil if there is none.
    func content(_ name: String) throws(StorageError) -> [UInt8]? {
        guard let reader = try store.reader(name) else { return nil }
        return try reader.read(at: 0, count: Int(clamping: reader.length))
    }

    func checkAfterTest() throws(StorageError) {
        guard !damaged.isSet else { return }
        for name in try names() { equal(try store.verify(name), nil, "verify finds nothing after the test") }
    }

    /// Returns `count` pseudorandom bytes, which depend on the seed.
    func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            var word = random.next()
            for _ in 0..<8 {
                bytes.append(UInt8(truncatingIfNeeded: word))
                word >>= 8
            }
        }
        return Array(bytes.prefix(count))
    }
}
