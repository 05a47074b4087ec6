package import StorageProtocol

/// A map function that gets many documents at a time, as texts, and returns their rows as texts: one that runs in
/// another process.
package protocol BatchMapper: AnyObject, Sendable {
    /// Maps documents. Called on several threads at the same time.
    ///
    /// - Parameter documents: JSON objects with `_id`, `_rev`, `_attachments`, `_conflicts` if there are any, and what
    ///   `BatchOptions` adds.
    /// - Returns: for each document its rows, or an error, which is the same as a map function that throws.
    /// - Throws: an error that ends the update: the documents cannot be mapped now.
    func map(_ documents: [[UInt8]]) throws(StorageError) -> [Result<[BatchRow], any Error>]
}

/// A row that a `BatchMapper` emits.
package struct BatchRow: Sendable {
    /// Canonical JSON.
    package var key: [UInt8]
    /// Canonical JSON.
    package var value: [UInt8]

    package init(key: [UInt8], value: [UInt8]) {
        self.key = key
        self.value = value
    }
}

/// What a `BatchMapper` sees beyond the usual.
package struct BatchOptions: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `_local_seq` in each document.
    package static let sequences = BatchOptions(rawValue: 1)
    /// Design documents, too.
    package static let designDocuments = BatchOptions(rawValue: 2)
}
