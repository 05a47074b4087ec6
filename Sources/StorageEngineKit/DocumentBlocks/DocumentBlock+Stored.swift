package import StorageProtocol

extension DocumentBlock {
    /// The length up to which blocks are filled. With longer ones a change of a document, which reads and writes its
    /// block, is dearer, and a first build hardly cheaper.
    private static let usualLength = 600
    /// The length from which a block is divided, some changes after it was filled.
    private static let mostLength = 900

    /// Returns the end of the part that begins with document `first` and is to be a record of its own.
    ///
    /// - Parameter isEven: Whether parts should have about the same length, so that all of them have room. Otherwise
    ///   each is filled.
    package func endOfPart(from first: Int, isEven: Bool) -> Int {
        let rest = byteCount - entries[first].start
        var limit = DocumentBlock.usualLength
        if rest <= (isEven ? DocumentBlock.mostLength : limit) { return entries.count }
        if isEven { limit = rest / ((rest + limit - 1) / limit) }
        var end = first + 1
        while end < entries.count, entries[end].end - entries[first].start <= limit { end += 1 }
        return end
    }

    /// Returns the stored form of some documents. Valid until the block changes.
    package func stored(_ part: Range<Int>) -> UnsafeRawBufferPointer {
        let place = entries[part.lowerBound].start..<entries[part.upperBound - 1].end
        return unsafe UnsafeRawBufferPointer(rebasing: bytes[place])
    }

    /// Returns the length of a document's entry.
    package static func length(
        _ document: PinnedDocument,
        _ sequence: UInt64,
        of batches: borrowing PinnedBatches
    ) -> Int {
        var length = unsafe self.length(document.id, sequence, keyCount: document.rowCount)
        for emit in 0..<document.rowCount {
            let count = unsafe batches.key(document.row(emit)).count
            length += Varint.length(UInt64(count)) + count
        }
        return length
    }

    /// Returns a length that no document's entry exceeds, without looking at the documents.
    package static func longest(of batches: borrowing PinnedBatches) -> Int {
        var bytes = 0
        for batch in unsafe batches.batches.indices { unsafe bytes += batches.batches[batch].bytes.count }
        // Besides the bytes of the ID and of all keys it has their lengths, and two numbers.
        return bytes + Varint.length(.max) * (batches.rowCount + 3)
    }

    static func length(_ id: UnsafeRawBufferPointer, _ sequence: UInt64, keyCount: Int) -> Int {
        Varint.length(UInt64(id.count)) + id.count + Varint.length(sequence)
            + Varint.length(UInt64(keyCount))
    }

    static func writeHead(
        _ id: UnsafeRawBufferPointer,
        _ sequence: UInt64,
        keyCount: Int,
        to target: UnsafeMutableRawBufferPointer,
        _ offset: inout Int
    ) {
        unsafe Varint.write(id, to: target, &offset)
        unsafe Varint.write(sequence, to: target, &offset)
        unsafe Varint.write(UInt64(keyCount), to: target, &offset)
    }
}
