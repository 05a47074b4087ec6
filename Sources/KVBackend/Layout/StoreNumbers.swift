internal import StorageEngineKit
internal import StorageProtocol

/// The numbers under `counters` in `meta`.
struct StoreNumbers: Equatable {
    /// Grows with every commit that wrote anything.
    var changeCounter: UInt64 = 0
    var lastSequence: UInt64 = 0
    var liveDocuments: UInt64 = 0
    /// The next node number of long keys.
    var nextNode: UInt64 = 1
    var nextIndex: UInt64 = 1

    /// The stored form: five varints.
    var encoded: [UInt8] {
        let numbers = [changeCounter, lastSequence, liveDocuments, nextNode, nextIndex]
        return unsafe [UInt8](unsafeUninitializedCapacity: 50) { buffer, count in
            for number in numbers { unsafe Varint.write(number, to: UnsafeMutableRawBufferPointer(buffer), &count) }
        }
    }

    var counters: StoreCounters {
        StoreCounters(liveDocuments: liveDocuments, lastSequence: lastSequence, changeCounter: changeCounter)
    }

    init() {}

    /// - Throws: `corrupt` (591) for bytes that `encoded` does not produce, and for a number above 2^63 - 1.
    init(stored bytes: UnsafeRawBufferPointer) throws(StorageError) {
        var offset = 0
        guard let changeCounter = unsafe Varint.read(bytes, &offset),
            let lastSequence = unsafe Varint.read(bytes, &offset),
            let liveDocuments = unsafe Varint.read(bytes, &offset),
            let nextNode = unsafe Varint.read(bytes, &offset),
            let nextIndex = unsafe Varint.read(bytes, &offset),
            offset == bytes.count
        else { throw .corrupt("The store's counters are damaged") }
        // All of them are incremented or added to, so there must be room above a number that was read.
        guard max(changeCounter, lastSequence, liveDocuments, nextNode, nextIndex) <= UInt64(Int64.max) else {
            throw .corrupt("One of the store's counters is beyond 2^63 - 1")
        }
        self.changeCounter = changeCounter
        self.lastSequence = lastSequence
        self.liveDocuments = liveDocuments
        self.nextNode = nextNode
        self.nextIndex = nextIndex
    }
}
