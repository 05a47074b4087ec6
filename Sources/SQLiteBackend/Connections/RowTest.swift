internal import CSetteeSQLiteAPI
internal import StorageProtocol

/// A test of records that a statement asks through the function `settee_passes`.
final class RowTest {
    private let passes: (_ id: RawSpan, _ body: RawSpan) throws(StorageError) -> Bool
    /// What the test has thrown, which ended the statement.
    private(set) var failure: StorageError?

    init(_ passes: @escaping (_ id: RawSpan, _ body: RawSpan) throws(StorageError) -> Bool) { self.passes = passes }

    /// - Returns: 1 if a record passes, 0 if not, -1 if the test failed.
    fileprivate func answer(_ id: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer) -> Int32 {
        do throws(StorageError) {
            return try unsafe passes(id.bytes, body.bytes) ? 1 : 0
        } catch {
            failure = error
            return -1
        }
    }
}

extension SQLiteRowTest {
    /// The test must stay as long as this is asked.
    @unsafe
    init(_ test: RowTest) {
        unsafe self.init(
            call: { context, id, idLength, body, bodyLength in
                guard let context = unsafe context else { return -1 }
                return unsafe Unmanaged<RowTest>.fromOpaque(context)._withUnsafeGuaranteedRef { test in
                    unsafe test.answer(
                        UnsafeRawBufferPointer(start: id, count: Int(idLength)),
                        UnsafeRawBufferPointer(start: body, count: Int(bodyLength))
                    )
                }
            },
            context: Unmanaged.passUnretained(test).toOpaque()
        )
    }
}
