internal import SetteeJavaScript
internal import SetteeViews
internal import StorageProtocol

/// A map function in JavaScript.
///
/// Documents that throw, or meet a limit, have no rows. Where more than eight of a hundred meet one, the update ends
/// with an error: the function is at fault, and each of these documents would take the limit's time.
final class JavaScriptMapper: BatchMapper {
    private let function: JavaScriptFunction
    private let pool: JavaScriptPool

    /// A worker is lent for so many documents at a time, so that other functions get their turn.
    private static let batch = 100

    init(_ function: JavaScriptFunction, _ pool: JavaScriptPool) {
        self.function = function
        self.pool = pool
    }

    func map(_ documents: [[UInt8]]) throws(StorageError) -> [Result<[BatchRow], any Error>] {
        var outcomes: [Result<[BatchRow], any Error>] = []
        outcomes.reserveCapacity(documents.count)
        for start in stride(from: 0, to: documents.count, by: JavaScriptMapper.batch) {
            let some = Array(documents[start..<min(start + JavaScriptMapper.batch, documents.count)])
            for outcome in try mapped(some) {
                switch outcome {
                case .success(let rows): outcomes.append(.success(rows.map { BatchRow(key: $0.key, value: $0.value) }))
                case .failure(let error): outcomes.append(.failure(error))
                }
            }
        }
        return outcomes
    }

    private func mapped(
        _ documents: [[UInt8]]
    ) throws(StorageError) -> [Result<[JavaScriptRow], JavaScriptError>] {
        do throws(JavaScriptError) {
            return try pool.withWorker { worker throws(JavaScriptError) in
                try worker.map([function], documents, endsAfterFaults: true)[0]
            }
        } catch {
            throw StorageError(ending: error)
        }
    }
}
