/// The keys of info values: those of Engine itself, and the prefix of the application's.
package enum InfoKey {
    package static let publicUUID = "publicUUID"
    package static let privateUUID = "privateUUID"
    package static let previousPrivateUUID = "previousPrivateUUID"
    package static let earlierPrivateUUIDs = "earlierPrivateUUIDs"

    /// The prefix of the keys of records about the indexes of views. Those of other kinds of indexes begin with
    /// `index-KIND/`.
    package static let indexRecordPrefix = "index/"

    /// Whether a value is about indexes. Those are not content, because indexes can be rebuilt.
    package static func isOfIndexes(_ key: String) -> Bool {
        key.utf8.starts(with: indexRecordPrefix.utf8) || key.utf8.starts(with: "index-".utf8)
    }

    /// The prefix of all keys of the application.
    package static let applicationPrefix = "app/"

    /// The maximum length of an application's key, in bytes.
    package static let maximumLength = 255
    /// The maximum length of a value, in bytes.
    package static let maximumValueLength = 1 << 20
}
