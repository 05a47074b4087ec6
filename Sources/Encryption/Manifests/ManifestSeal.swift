internal import Crypto
internal import SetteeStorageFiles
package import StorageProtocol

/// Proves that a manifest was written with the data key: HMAC-SHA256 with the manifest's subkey.
package struct ManifestSeal: ManifestSealing {
    /// The length of a code in bytes, which are hexadecimal digits.
    package static let codeLength = 64

    private let key: StorageKey

    /// - Parameter key: The manifest's subkey.
    package init(_ key: StorageKey) { self.key = key }

    /// Returns the code of the text before the member `mac`.
    ///
    /// - Complexity: O(*n*) in the text's length.
    package func code(of text: ArraySlice<UInt8>) -> [UInt8] {
        Hexadecimal.text(HMAC<SHA256>.authenticationCode(for: text, using: key.symmetric))
    }

    /// Whether a code is that of a text. The time it takes does not reveal where they differ.
    package func matches(_ code: [UInt8], text: ArraySlice<UInt8>) -> Bool {
        let expected = self.code(of: text)
        guard code.count == expected.count else { return false }
        return zip(code, expected).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
