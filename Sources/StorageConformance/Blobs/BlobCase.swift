public import StorageProtocol

/// A blob store to run the suite on.
public struct BlobCase: Sendable, CustomStringConvertible {
    public var name: String
    /// Creates a new, empty store in an empty directory.
    public var makeStore: @Sendable (_ directory: String) throws -> any BlobStore
    /// Changes the content of a blob without the store's involvement. Nil: the suite does not test whether damage is
    /// detected.
    public var damage: (@Sendable (_ store: any BlobStore, _ directory: String, _ name: String) throws -> Void)?
    public var makeDirectory: @Sendable () throws -> String
    public var removeDirectory: @Sendable (String) -> Void

    public init(
        name: String,
        makeDirectory: @escaping @Sendable () throws -> String = EngineCase.makeTemporaryDirectory,
        removeDirectory: @escaping @Sendable (String) -> Void = EngineCase.removeTemporaryDirectory,
        damage: (@Sendable (_ store: any BlobStore, _ directory: String, _ name: String) throws -> Void)? = nil,
        makeStore: @escaping @Sendable (_ directory: String) throws -> any BlobStore
    ) {
        self.name = name
        self.makeStore = makeStore
        self.damage = damage
        self.makeDirectory = makeDirectory
        self.removeDirectory = removeDirectory
    }

    public var description: String { name }
}
