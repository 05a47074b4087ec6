package import StorageProtocol

/// What a conversion records so that it can be continued after a kill: what it makes, from which state of the database,
/// and how to obtain the same keys again. Never contains a key.
package struct ConversionNote: Sendable, Equatable {
    /// The change counter of the state being copied. While the database still has it, nothing has been written since.
    package var changeCounter: UInt64
    /// The type of the next generation.
    package var storageType: StorageType
    /// The name of its compression; nil: the one of new stores.
    package var compression: String?
    /// The key slots that the manifest will have, if they change.
    package var keySlots: [[UInt8]]
    /// The member `encryption` that the manifest will have; nil for a plain generation.
    package var encryption: [UInt8]?

    package init(
        changeCounter: UInt64,
        storageType: StorageType,
        compression: String?,
        keySlots: [[UInt8]] = [],
        encryption: [UInt8]? = nil
    ) {
        self.changeCounter = changeCounter
        self.storageType = storageType
        self.compression = compression
        self.keySlots = keySlots
        self.encryption = encryption
    }
}
