package import StorageProtocol

/// What a conversion writes down for one that goes on after a kill: what it makes, of which state of the database, and
/// how to get at the same keys again. Never a key.
package struct ConversionNote: Sendable, Equatable {
    /// The change counter of what is copied: as long as the database has it, nothing was written since.
    package var changeCounter: UInt64
    /// The type of the next generation.
    package var storageType: StorageType
    /// The name of its compression; nil: that of new stores.
    package var compression: String?
    /// The key slots as the manifest would have them, where they change.
    package var keySlots: [[UInt8]]
    /// The member `encryption` as the manifest would have it; nil for a plain generation.
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
