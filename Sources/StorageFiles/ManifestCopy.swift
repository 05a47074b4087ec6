internal import StorageProtocol

/// A manifest with its text, whose checksum is right.
package struct ManifestCopy: Sendable, Equatable {
    package let manifest: Manifest
    /// The file's bytes.
    package let text: [UInt8]
    /// The bytes before the MAC, which covers them; without a MAC, those before the checksum.
    package let sealedText: ArraySlice<UInt8>
    /// The digits of the MAC; nil: there is none.
    package let code: ArraySlice<UInt8>?

    /// Reads the bytes of a file. Never fails on any bytes: nil means damaged or not a manifest.
    package init?(_ text: [UInt8]) {
        guard let checked = Manifest.checkedPart(text) else { return nil }
        let (sealed, code) = Manifest.sealedPart(checked)
        guard let manifest = Manifest.decode(sealed) else { return nil }
        self.manifest = manifest
        self.text = text
        sealedText = sealed
        self.code = code
    }

    /// Creates a copy to be written.
    ///
    /// - Throws: `unexpected` (500) if an encrypted database has no seal, or a plain one has a seal.
    init(_ manifest: Manifest, sealedBy seal: (any ManifestSealing)?) throws(StorageError) {
        guard manifest.isEncrypted == (seal != nil), let copy = ManifestCopy(manifest.encoded(sealedBy: seal)) else {
            throw StorageError(.unexpected, "A manifest was to be written that does not fit the database's key.")
        }
        self = copy
    }

    package static func == (a: ManifestCopy, b: ManifestCopy) -> Bool { a.text == b.text }
}
