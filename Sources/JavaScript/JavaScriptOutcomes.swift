/// A row that a map function emitted.
package struct JavaScriptRow: Hashable, Sendable {
    /// Canonical JSON.
    package var key: [UInt8]
    /// Canonical JSON.
    package var value: [UInt8]

    package init(key: [UInt8], value: [UInt8]) {
        self.key = key
        self.value = value
    }
}

/// What a validation says of a document.
package enum JavaScriptValidation: Hashable, Sendable {
    case ok
    /// With the function's own message, at most 500 bytes.
    case forbidden(String)
    /// With the function's own message, at most 500 bytes.
    case unauthorized(String)
}
