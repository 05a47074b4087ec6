internal import Foundation
internal import SetteeDocumentValues
internal import StorageProtocol

/// The member `encryption` of a manifest: how one generation of a database is encrypted.
///
/// `{"cipher":"…","salt":"…"}`: the engine's name for its cipher and its settings, and the salt of the page key, in
/// Base64.
struct EncryptionMember: Sendable, Equatable {
    /// The value of `StorageCapabilities.cipher` of the engine that created it.
    let cipher: String
    /// 16 bytes.
    let salt: [UInt8]

    private static let saltLength = 16

    /// Creates a new salt.
    init(cipher: String) {
        self.cipher = cipher
        var random = SystemRandomNumberGenerator()
        salt = (0..<EncryptionMember.saltLength).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    /// Reads the member of a manifest whose MAC is correct.
    ///
    /// - Throws: `unsupportedFormat` (591) if it is missing, or has another form.
    init(_ text: [UInt8]?) throws(StorageError) {
        let value = text.flatMap { try? JSONValue(parsing: $0) }
        guard let members = value?.objectValue, let cipher = members["cipher"]?.stringValue,
            let encoded = members["salt"]?.stringValue, let salt = Base64.decode(encoded),
            salt.count == EncryptionMember.saltLength
        else {
            throw StorageError(
                .unsupportedFormat,
                "The manifest does not say, in a way that this version knows, how the database is encrypted. Use a "
                    + "newer version "
                    + "of Settee."
            )
        }
        self.cipher = cipher
        self.salt = salt
    }

    /// The text in the manifest.
    var text: [UInt8] {
        get throws(StorageError) {
            let value: JSONValue = ["cipher": .string(cipher), "salt": .string(Data(salt).base64EncodedString())]
            return try value.canonicalBytes()
        }
    }
}
