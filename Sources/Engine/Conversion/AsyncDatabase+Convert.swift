public import StorageProtocol

extension AsyncDatabase {
    /// Does the same as `Database.convert` and reports its progress. It begins when the first element is requested.
    /// Cancelling the iterating task, or releasing the sequence, ends it and leaves the database unchanged.
    ///
    /// - Returns: the progress, now and then. The sequence ends when the database is converted, and throws as
    ///   `Database.convert`. States that are not requested in time are left out.
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

    /// Does the same as `Database.rotateKey` and reports its progress. It begins, ends and is cancelled like
    /// `conversion(to:)`.
    public func keyRotation(
        to key: StorageKey,
        derivation: KeyDerivation = .standard
    ) -> AsyncThrowingStream<ConversionProgress, any Error> {
        stream { database, progress in
            try database.rotateKey(to: key, derivation: derivation, progress: progress)
        }
    }

    /// Like `Database.changeKey`.
    public func changeKey(to key: StorageKey, derivation: KeyDerivation = .standard) async throws {
        try await perform(on: AsyncDatabase.writers, until: .start) { database in
            try database.changeKey(to: key, derivation: derivation)
        }
    }

    /// The progress of work that rewrites the database.
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
