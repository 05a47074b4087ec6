internal import Foundation
public import StorageProtocol

/// One engine in one configuration, as the suite runs on it. Adding an engine is adding a row.
///
/// ```swift
/// let rows = [EngineCase(name: "mine", factory: MyEngineFactory())]
/// for test in Conformance.tests { try test.run(on: rows[0]) }
/// ```
public struct EngineCase: Sendable, CustomStringConvertible {
    public var name: String
    public var factory: any StorageEngineFactory
    /// The durability that stores are opened with.
    public var durability: Durability
    /// The key that stores are made and opened with.
    public var key: StorageKey?
    /// Makes an empty directory for one store and returns its path; by default a new one in the temporary directory.
    public var makeDirectory: @Sendable () throws -> String
    /// Removes what `makeDirectory` made, with its content.
    public var removeDirectory: @Sendable (String) -> Void
    /// Starts another process that calls `Conformance.runPart(_:directory:on:)` with this row, and returns a closure
    /// that waits for its end and gives its exit status, 0 for a part that returned. Nil: tests with two processes are
    /// left out.
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

    /// A new empty folder in the temporary directory.
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
