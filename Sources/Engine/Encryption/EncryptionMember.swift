internal import Foundation
internal import SetteeDocumentValues
internal import StorageProtocol

/// The member `encryption` of a manifest: how one generation of a database is encrypted.
///
/// `{"cipher":"…","salt":"…"}`: what the engine calls its cipher and its settings, and the salt of the page key, in
/// Base64.
struct EncryptionMember: Sendable, Equatable {
    /// As `StorageCapabilities.cipher` of the engine that made it.
    let cipher: String
    /// 16 bytes.
    let salt: [UInt8]

    private static let saltLength = 16

    /// With a new salt.
    init(cipher: String) {
        self.cipher = cipher
        var random = SystemRandomNumberGenerator()
        salt = (0..<EncryptionMember.saltLength).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    /// Reads the member of a manifest whose MAC is right.
    ///
    /// - Throws: `unsupportedFormat` (591) where it is missing, or of another form.
    init(_ text: [UInt8]?) throws(StorageError) {
        let value = text.flatMap { try? JSONValue(parsing: $0) }
        guard let members = value?.objectValue, let cipher = members["cipher"]?.stringValue,
            let encoded = members["salt"]?.stringValue, let salt = Data(base64Encoded: encoded),
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
        self.salt = Array(salt)
    }

    /// As it lies in the manifest.
    var text: [UInt8] {
        get throws(StorageError) {
            let value: JSONValue = ["cipher": .string(cipher), "salt": .string(Data(salt).base64EncodedString())]
            return try value.canonicalBytes()
        }
    }
}
