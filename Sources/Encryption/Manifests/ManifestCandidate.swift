internal import StorageProtocol

/// A copy of the manifest with a right checksum.
package struct ManifestCandidate: Sendable {
    package var serial: UInt64
    /// Whether it has slots or the member `encryption`.
    package var isEncrypted: Bool
    package var keySlots: KeySlots
    package var databaseUUID: String
    /// All bytes before `,"mac"`, as they were read.
    package var sealedText: ArraySlice<UInt8>
    /// The value of `mac` as it was read, without quotes; nil if there is none.
    package var code: [UInt8]?

    package init(
        serial: UInt64,
        isEncrypted: Bool,
        keySlots: KeySlots,
        databaseUUID: String,
        sealedText: ArraySlice<UInt8>,
        code: [UInt8]?
    ) {
        self.serial = serial
        self.isEncrypted = isEncrypted || !keySlots.texts.isEmpty
        self.keySlots = keySlots
        self.databaseUUID = databaseUUID
        self.sealedText = sealedText
        self.code = code
    }

    /// Whether it was written with this data key.
    func isSealed(with dataKey: DataKey) throws(StorageError) -> Bool {
        guard let code else { return false }
        return try ManifestSeal(dataKey.manifestKey(databaseUUID: databaseUUID)).matches(code, text: sealedText)
    }
}
