internal import Foundation
public import StorageProtocol

/// One engine in one configuration to run the suite on. To test another engine, add a row.
///
/// ```swift
/// let rows = [EngineCase(name: "mine", factory: MyEngineFactory())]
/// for test in Conformance.tests { try test.run(on: rows[0]) }
/// ```
public struct EngineCase: Sendable, CustomStringConvertible {
    public var name: String
    public var factory: any StorageEngineFactory
    /// The durability with which stores are opened.
    public var durability: Durability
    /// The key with which stores are created and opened.
    public var key: StorageKey?
    /// Creates an empty directory for one store and returns its path; by default a new one in the temporary directory.
    public var makeDirectory: @Sendable () throws -> String
    /// Removes what `makeDirectory` created, with its content.
    public var removeDirectory: @Sendable (String) -> Void
    /// Starts another process that calls `Conformance.runPart(_:directory:on:)` with this row. Returns a closure that
    /// waits for its end and returns its exit status, 0 if the call returned. Nil: tests with two processes are
    /// skipped.
    public var startPart: (@Sendable (_ part: String, _ directory: String) throws -> @Sendable () throws -> Int32)?

    public init(
        name: String,
        factory: any StorageEngineFactory,
        durability: Durability = .full,
        key: StorageKey? = nil,
        makeDirectory: @escaping @Sendable () throws -> String = EngineCase.makeTemporaryDirectory,
        removeDirectory: @escaping @Sendable (String) -> Void = EngineCase.removeTemporaryDirectory,
        startPart: (@Sendable (_ part: String, _ directory: String) throws -> @Sendable () throws -> Int32)? = nil
    ) {
        self.name = name
        self.factory = factory
        self.durability = durability
        self.key = key
        self.makeDirectory = makeDirectory
        self.removeDirectory = removeDirectory
        self.startPart = startPart
    }

    public var description: String { name }

    /// Whether a store outlives its engine object.
    var isPersistent: Bool { factory.capabilities.location != .memory }

    /// Creates an empty folder in the temporary directory.
    @Sendable
    public static func makeTemporaryDirectory() throws -> String {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("conformance-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        return url.path
    }

    /// Removes a folder with its content.
    @Sendable
    public static func removeTemporaryDirectory(_ path: String) {
        try? FileManager.default.removeItem(atPath: path)
    }
}
