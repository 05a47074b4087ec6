internal import Crypto
internal import SetteeStorageFiles
internal import StorageProtocol

/// A pair of numbers of rows.
struct RowPair: Comparable {
    var first: Int64
    var second: Int64

    @inline(__always)
    static func < (left: RowPair, right: RowPair) -> Bool {
        left.first != right.first ? left.first < right.first : left.second < right.second
    }
}

/// Pairs that are read in their order, in memory that does not grow with their number.
///
/// Each 65,536 of them are sorted and go to a file without a name, from which all are merged. The numbers tell how many
/// revisions each document has, which an encrypted database keeps secret, so the file is encrypted with a key that is
/// nowhere else.
final class SortedPairs {
    /// How many are sorted in memory.
    private static let runCount = 1 << 16
    /// How many are read at a time; a run has whole blocks.
    private static let blockCount = 256
    private static let tagSize = 16
    private static let sealedSize = blockCount * MemoryLayout<RowPair>.stride + tagSize

    private let folder: String
    private var file: ScratchFile?
    private let key = SymmetricKey(size: .bits256)
    private var runs = 0
    /// Those that are not in the file.
    private var last: [RowPair] = []

    /// - Parameter folder: Where the file is made.
    init(in folder: String) { self.folder = folder }

    func add(_ first: Int64, _ second: Int64 = 0) throws(StorageError) {
        last.append(RowPair(first: first, second: second))
        if last.count == SortedPairs.runCount { try spill() }
    }

    private func spill() throws(StorageError) {
        last.sort()
        if file == nil { file = try ScratchFile(in: folder) }
        for start in stride(from: 0, to: last.count, by: SortedPairs.blockCount) { try spill(from: start) }
        runs += 1
        last.removeAll(keepingCapacity: true)
    }

    private func spill(from start: Int) throws(StorageError) {
        guard let file else { return }
        let bytes = unsafe last[start..<start + SortedPairs.blockCount].withUnsafeBytes { unsafe Array($0) }
        let sealed = try sealed(bytes, block: file.size / UInt64(SortedPairs.sealedSize))
        try unsafe file.append(sealed.span.bytes)
    }

    /// Returns all pairs in order. None may be added after that.
    func sorted() -> Sorted {
        last.sort()
        return Sorted(self)
    }

    /// The pairs in order.
    struct Sorted {
        private let pairs: SortedPairs
        private var parts: [Part]
        /// The numbers of the parts that have pairs, as a heap: the head of each is not above the heads of those at
        /// twice its place plus 1 and 2.
        private var heap: [Int] = []
        private var hasBegun = false

        fileprivate init(_ pairs: SortedPairs) {
            self.pairs = pairs
            let blocks = SortedPairs.runCount / SortedPairs.blockCount
            parts = (0..<pairs.runs).map { Part(blocks: $0 * blocks..<($0 + 1) * blocks, loaded: []) }
            parts.append(Part(blocks: 0..<0, loaded: pairs.last))
        }

        /// - Throws: `storage` (590) if the file cannot be read.
        mutating func next() throws(StorageError) -> RowPair? {
            if !hasBegun { try begin() }
            guard let first = heap.first else { return nil }
            let pair = parts[first].head
            parts[first].place += 1
            if try !load(first) {
                heap.swapAt(0, heap.count - 1)
                heap.removeLast()
            }
            sink(0)
            return pair
        }

        private mutating func begin() throws(StorageError) {
            hasBegun = true
            for part in parts.indices where try load(part) { heap.append(part) }
            for place in (0..<heap.count / 2).reversed() { sink(place) }
        }

        /// - Returns: False at the end of the part.
        private mutating func load(_ part: Int) throws(StorageError) -> Bool {
            if parts[part].place < parts[part].loaded.count { return true }
            guard let block = parts[part].blocks.popFirst() else { return false }
            parts[part].loaded = try pairs.block(block)
            parts[part].place = 0
            return true
        }

        private mutating func sink(_ start: Int) {
            var place = start
            while true {
                var child = 2 * place + 1
                guard child < heap.count else { return }
                if child + 1 < heap.count, parts[heap[child + 1]].head < parts[heap[child]].head { child += 1 }
                guard parts[heap[child]].head < parts[heap[place]].head else { return }
                heap.swapAt(place, child)
                place = child
            }
        }

        private struct Part {
            var blocks: Range<Int>
            var loaded: [RowPair]
            var place = 0

            var head: RowPair { loaded[place] }
        }
    }

    // MARK: - Blocks

    private func sealed(_ bytes: [UInt8], block: UInt64) throws(StorageError) -> [UInt8] {
        do {
            let box = try AES.GCM.seal(bytes, using: key, nonce: SortedPairs.nonce(block))
            return Array(box.ciphertext) + Array(box.tag)
        } catch {
            throw StorageError(.unexpected, "The numbers of revisions could not be encrypted.", cause: error)
        }
    }

    fileprivate func block(_ block: Int) throws(StorageError) -> [RowPair] {
        let size = SortedPairs.sealedSize
        let sealed = try file?.read(at: UInt64(block) * UInt64(size), count: size) ?? []
        do {
            let box = try AES.GCM.SealedBox(
                nonce: SortedPairs.nonce(UInt64(block)),
                ciphertext: sealed.dropLast(SortedPairs.tagSize),
                tag: sealed.suffix(SortedPairs.tagSize)
            )
            let bytes = Array(try AES.GCM.open(box, using: key))
            return unsafe [RowPair](unsafeUninitializedCapacity: SortedPairs.blockCount) { buffer, count in
                unsafe bytes.withUnsafeBytes { unsafe UnsafeMutableRawBufferPointer(buffer).copyMemory(from: $0) }
                count = bytes.count / MemoryLayout<RowPair>.stride
            }
        } catch {
            throw StorageError(
                .storage,
                "What was written beside the new database a moment ago is not what is read. Check the disk, and retry.",
                cause: error
            )
        }
    }

    /// No two blocks have the same.
    private static func nonce(_ block: UInt64) throws -> AES.GCM.Nonce {
        try AES.GCM.Nonce(data: [0, 0, 0, 0] + (0..<8).map { UInt8(truncatingIfNeeded: block >> ($0 * 8)) })
    }
}
