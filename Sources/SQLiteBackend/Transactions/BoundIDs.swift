internal import StorageProtocol

/// The texts of some IDs, one after another in memory of their own, for a statement that looks them up.
@safe
final class BoundIDs {
    private let block: UnsafeMutableRawBufferPointer
    private var ends: [Int] = []

    /// - Parameter ids: At most `Query.recordsAtOnce`.
    init(_ ids: some Sequence<DocumentID>) {
        var length = 0
        for id in ids { length += id.string.utf8.count }
        unsafe block = .allocate(byteCount: length, alignment: 1)
        var end = 0
        ends.reserveCapacity(Query.recordsAtOnce)
        for id in ids {
            end += id.withBytes { bytes in
                unsafe bytes.withUnsafeBytes { bytes in
                    unsafe UnsafeMutableRawBufferPointer(rebasing: block[end...]).copyMemory(from: bytes)
                }
                return bytes.byteCount
            }
            ends.append(end)
        }
    }

    deinit { unsafe block.deallocate() }

    /// Binds them to the first parameters, and NULL to the rest.
    func bind(to statement: Statement) {
        var start = 0
        for (number, end) in ends.enumerated() {
            unsafe statement.bindText(UnsafeRawBufferPointer(rebasing: block[start..<end]), Int32(number + 1))
            start = end
        }
        for number in ends.count..<Query.recordsAtOnce { statement.bindNull(Int32(number + 1)) }
    }
}
