/// The keys of info values: those that the Engine keeps for itself, and how the application's are told from them.
enum InfoKey {
    static let publicUUID = "publicUUID"
    static let privateUUID = "privateUUID"
    static let previousPrivateUUID = "previousPrivateUUID"

    /// Stands before every key of the application.
    static let applicationPrefix = "app/"

    /// The longest key of the application, in bytes.
    static let maximumLength = 255
    /// The longest value, in bytes.
    static let maximumValueLength = 1 << 20
}
