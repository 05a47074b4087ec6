internal import SetteeJavaScript
internal import SetteeViews
internal import StorageProtocol

/// A map function in JavaScript.
///
/// Documents that throw, or meet a limit, have no rows. A function that meets limits for more than a few is not run for
/// a while (`MapperPatience`): updates end with an error at once then.
final class JavaScriptMapper: BatchMapper {
    private let function: JavaScriptFunction
    private let pool: JavaScriptPool
    private let patience: Locked<MapperPatience>

    /// A worker is lent for this number of documents, and to the first one that meets a limit, so that other
    /// functions get their turn.
    private static let batch = 100

    init(_ function: JavaScriptFunction, _ pool: JavaScriptPool) {
        self.function = function
        self.pool = pool
        patience = Locked(MapperPatience(pause: pool.configuration.pause))
    }

    func map(_ documents: [[UInt8]]) throws(StorageError) -> [Result<[BatchRow], any Error>] {
        var outcomes = documents.map { document in
            patience.withLock { $0.limit(of: document) }.map { error in
                Result<[JavaScriptRow], JavaScriptError>.failure(error)
            }
        }
        var waiting = documents.indices.filter { outcomes[$0] == nil }
        while !waiting.isEmpty {
            try patience.withLock { patience throws(StorageError) in try patience.admit() }
            let some = waiting.prefix(JavaScriptMapper.batch)
            for (number, outcome) in zip(some, try mapped(some.map { documents[$0] })) {
                outcomes[number] = outcome
                if case .failure(let error) = outcome, error.isLimit {
                    patience.withLock { $0.note(documents[number], error) }
                }
            }
            waiting.removeAll { outcomes[$0] != nil }
        }
        return outcomes.map { outcome in
            switch outcome {
            case .success(let rows): .success(rows.map { BatchRow(key: $0.key, value: $0.value) })
            case .failure(let error): .failure(error)
            // Every document is waited for.
            case nil: .failure(JavaScriptError.crashed)
            }
        }
    }

    /// Nil for documents that were not tried, since one before them met a limit.
    private func mapped(
        _ documents: [[UInt8]]
    ) throws(StorageError) -> [Result<[JavaScriptRow], JavaScriptError>?] {
        do throws(JavaScriptError) {
            return try pool.withWorker { worker throws(JavaScriptError) in
                try worker.mapUntilLimit(function, documents)
            }
        } catch {
            throw StorageError(ending: error)
        }
    }
}
