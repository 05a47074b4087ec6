public import StorageProtocol

extension AsyncDatabase {
    /// As `Database.convert`, which tells how far it is. It begins with the first element that is asked for; cancelling the task that
    /// iterates, or letting the sequence go, ends it and leaves the database as it was.
    ///
    /// - Returns: the progress, now and then; the sequence ends when the database is converted, and throws as `Database.convert`.
    ///   States that nobody has asked for in time are left out.
    public func conversion(
        to type: StorageType,
        key: StorageKey? = nil,
        compression: Compression? = nil,
        decrypt: Bool = false
    ) -> AsyncThrowingStream<ConversionProgress, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(8)) { continuation in
            let work = Task {
                do {
                    try await perform(on: AsyncDatabase.writers, until: .start) { database in
                        try database.convert(to: type, key: key, compression: compression, decrypt: decrypt) {
                            continuation.yield($0)
                        }
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in work.cancel() }
        }
    }
}
