public import StorageProtocol

extension AsyncDatabase {
    /// As `Database.convert`, which tells how far it is. It begins with the first element that is asked for; cancelling
    /// the task that iterates, or letting the sequence go, ends it and leaves the database as it was.
    ///
    /// - Returns: the progress, now and then; the sequence ends when the database is converted, and throws as
    ///   `Database.convert`. States that nobody has asked for in time are left out.
    public func conversion(
        to type: StorageType,
        key: StorageKey? = nil,
        keyDerivation: KeyDerivation = .standard,
        compression: Compression? = nil,
        decrypt: Bool = false
    ) -> AsyncThrowingStream<ConversionProgress, any Error> {
        stream { database, progress in
            try database.convert(
                to: type,
                key: key,
                keyDerivation: keyDerivation,
                compression: compression,
                decrypt: decrypt,
                progress: progress
            )
        }
    }

    /// As `Database.rotateKey`, which tells how far it is. It begins, ends and is cancelled as `conversion(to:)`.
    public func keyRotation(
        to key: StorageKey,
        derivation: KeyDerivation = .standard
    ) -> AsyncThrowingStream<ConversionProgress, any Error> {
        stream { database, progress in
            try database.rotateKey(to: key, derivation: derivation, progress: progress)
        }
    }

    /// As `Database.changeKey`.
    public func changeKey(to key: StorageKey, derivation: KeyDerivation = .standard) async throws {
        try await perform(on: AsyncDatabase.writers, until: .start) { database in
            try database.changeKey(to: key, derivation: derivation)
        }
    }

    /// The progress of work that writes the database anew.
    private func stream(
        _ work: @escaping @Sendable (Database, @escaping (ConversionProgress) -> Void) throws -> Void
    ) -> AsyncThrowingStream<ConversionProgress, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(8)) { continuation in
            let task = Task {
                do {
                    try await perform(on: AsyncDatabase.writers, until: .start) { database in
                        try work(database) { continuation.yield($0) }
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
