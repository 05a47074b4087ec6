internal import StorageEngineKit
import StorageProtocol

/// A snapshot; also the reading half of the write transaction. `OrderedMapReader` makes every reader of the contract
/// from `value` and `values`.
class SmallestReadTransaction: ReadTransaction, OrderedMapReader {
    final let transactionGuard: TransactionGuard
    final let engine: SmallestEngine
    final var content: SortedBytes

    init(_ engine: SmallestEngine, _ content: SortedBytes, isWriter: Bool = false) {
        self.engine = engine
        self.content = content
        transactionGuard = TransactionGuard(engine.gate, isWriter: isWriter) { engine.didEnd(isWriter: isWriter) }
    }

    func end() { transactionGuard.end() }

    final func value(_ key: [UInt8]) -> [UInt8]? { content[key] }

    final func values(
        in range: ByteRange,
        descending: Bool,
        _ body: (_ key: [UInt8], _ value: [UInt8]) throws(StorageError) -> Bool
    ) throws(StorageError) { try content.forEach(in: range, descending: descending, body) }
}
