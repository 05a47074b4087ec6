internal import StorageProtocol

/// The number of entries of one kind in a store, and a digest of their content, in their order.
struct ContentSum: Equatable {
    private(set) var count: UInt64 = 0
    private var hash: UInt64 = 0x5E77_EE00_C0DE_0001

    /// Begins an entry; its content is added next.
    mutating func begin() { count += 1 }

    mutating func add(_ bytes: RawSpan) { hash = ByteHash.of(bytes, seed: hash) }

    mutating func add(_ bytes: [UInt8]) { unsafe add(bytes.span.bytes) }

    mutating func add(_ id: DocumentID) { id.withBytes { add($0) } }

    mutating func add(_ number: UInt64) {
        let mixed = (hash ^ number) &* 0x9FB2_1C65_1E98_DF25
        hash = mixed ^ mixed >> 32
    }
}
