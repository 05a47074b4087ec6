/// The keys of info values: those that the Engine keeps for itself, and how the application's are told from them.
package enum InfoKey {
    static let publicUUID = "publicUUID"
    static let privateUUID = "privateUUID"
    static let previousPrivateUUID = "previousPrivateUUID"

    /// Stands before every key of records that tell of indexes.
    package static let indexRecordPrefix = "index/"

    /// Whether a value tells of indexes, which are not content: they can be built again.
    static func isOfIndexes(_ key: String) -> Bool { key.utf8.starts(with: indexRecordPrefix.utf8) }

    /// Stands before every key of the application.
    static let applicationPrefix = "app/"

    /// The longest key of the application, in bytes.
    static let maximumLength = 255
    /// The longest value, in bytes.
    static let maximumValueLength = 1 << 20
}
