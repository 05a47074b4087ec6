import StorageProtocol
import Testing

@testable import SetteeKV

/// Dictionaries in a store: transactions that commit or roll back, and engines that know other dictionaries.
@Suite struct DictionaryTransactionTests {
    private typealias Codec = BodyCodec<LMDBTransaction>

    private func codec(_ transaction: LMDBTransaction, _ cache: DictionaryCache) -> Codec {
        Codec(transaction: transaction, cache: cache, compression: .lz4)
    }

    private func encode(_ json: [UInt8], _ codec: Codec) throws(StorageError) -> [UInt8] {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: json.count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyBytes(from: json)
        return BodySamples.bytes(of: try codec.encode(UnsafeRawBufferPointer(copy)))
    }

    private func decode(_ stored: [UInt8], _ codec: Codec) throws(StorageError) -> [UInt8] {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: stored.count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyBytes(from: stored)
        return try codec.withJSON(UnsafeRawBufferPointer(copy)) { (json) throws(StorageError) in Array(json) }
    }

    @Test func trainingInTheMiddleOfATransaction() throws {
        let folder = try TestFolder()
        let store = try folder.open()
        let cache = DictionaryCache()
        let json = BodySamples.person(5000)
        let (before, after) = try store.write { (transaction) throws(StorageError) in
            let codec = codec(transaction, cache)
            let before = try encode(json, codec)
            try codec.train(BodySamples.samples(0..<400), liveDocuments: 400)
            #expect(try decode(before, codec) == json)
            return (before, try encode(json, codec))
        }
        #expect(after[0] == 1 && after[1] == 1 && after.count < before.count)
        for cache in [cache, DictionaryCache()] {
            try store.read { (transaction) throws(StorageError) in
                let codec = codec(transaction, cache)
                #expect(try decode(before, codec) == json)
                #expect(try decode(after, codec) == json)
                #expect(try encode(json, codec) == after)
            }
        }
    }

    /// The dictionary of a transaction that was rolled back, and another one that was then made under the same version:
    /// by the same engine or by another process.
    @Test func aDictionaryThatWasRolledBack() throws {
        let folder = try TestFolder()
        let store = try folder.open()
        let (mine, others) = (DictionaryCache(), DictionaryCache())
        let json = BodySamples.person(5000)
        let phantom = try store.beginWrite()
        let lost = codec(phantom, mine)
        try lost.train(BodySamples.samples(0..<400), liveDocuments: 400)
        let wasLost = try encode(json, lost)
        phantom.end()

        try store.read { (transaction) throws(StorageError) in
            let codec = codec(transaction, mine)
            #expect(try codec.newestDictionary() == nil)
            #expect(try encode(json, codec)[1] != 1, "not with a dictionary that is not in the store")
            #expect(code { _ = try decode(wasLost, codec) } == .corrupt)
        }
        let kept = try store.write { (transaction) throws(StorageError) in
            let codec = codec(transaction, others)
            try codec.train(BodySamples.samples(7000..<7400), liveDocuments: 400)
            return try encode(json, codec)
        }
        #expect(kept != wasLost && kept[1] == 1)
        try store.read { (transaction) throws(StorageError) in
            let codec = codec(transaction, mine)
            #expect(try decode(kept, codec) == json)
            #expect(try encode(json, codec) == kept)
        }
    }

    @Test func oldVersionsStayReadable() throws {
        let folder = try TestFolder()
        let store = try folder.open()
        let cache = DictionaryCache()
        let json = BodySamples.person(1)
        var bodies: [[UInt8]] = []
        for version in 1...UInt32(5) {
            bodies.append(
                try store.write { (transaction) throws(StorageError) in
                    let codec = codec(transaction, cache)
                    let start = Int(version) * 1000
                    try codec.add(BodySamples.dictionary(version: version, persons: start..<(start + 50)))
                    return try encode(json, codec)
                }
            )
            #expect(bodies.last?[1] == UInt8(version))
        }
        for cache in [cache, DictionaryCache()] {
            try store.read { (transaction) throws(StorageError) in
                let codec = codec(transaction, cache)
                for body in bodies { #expect(try decode(body, codec) == json) }
                #expect(try codec.newestDictionary()?.version == 5)
            }
        }
    }

    @Test func aSnapshotKeepsItsDictionaries() throws {
        let folder = try TestFolder()
        let store = try folder.open()
        let cache = DictionaryCache()
        let snapshot = try store.beginRead()
        defer { snapshot.end() }
        try store.write { (transaction) throws(StorageError) in
            try codec(transaction, cache).add(BodySamples.dictionary())
        }
        #expect(try codec(snapshot, cache).newestDictionary() == nil)
    }

    /// Readers may use the codec while a body is lent to them.
    @Test func nestedReading() throws {
        let folder = try TestFolder()
        let store = try folder.open()
        let stored = (0..<12).map { BodySamples.stored(BodySamples.person($0) + BodySamples.person($0)) }
        try store.read { (transaction) throws(StorageError) in
            let codec = codec(transaction, DictionaryCache())
            func descend(_ depth: Int) throws(StorageError) {
                guard depth < stored.count else { return }
                let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: stored[depth].count, alignment: 1)
                defer { copy.deallocate() }
                copy.copyBytes(from: stored[depth])
                try codec.withJSON(UnsafeRawBufferPointer(copy)) { (json) throws(StorageError) in
                    try descend(depth + 1)
                    #expect(Array(json) == BodySamples.person(depth) + BodySamples.person(depth))
                }
            }
            try descend(0)
            try descend(0)
        }
    }

    @Test func whenTrainingIsDue() throws {
        let folder = try TestFolder()
        let store = try folder.open()
        let cache = DictionaryCache()
        // Sequences that jump: bodies are counted, across transactions that commit or roll back.
        var looks: [Int] = []
        for number in 1...300 {
            let transaction = try store.beginWrite()
            let codec = codec(transaction, cache)
            _ = try encode(BodySamples.person(number), codec)
            if try codec.trainingIsDue(from: 5_000_000, to: 5_000_001) { looks.append(number) }
            transaction.end()
        }
        #expect(looks == [128, 256])
        // A process for each document: the sequences are counted.
        try store.write { (transaction) throws(StorageError) in
            let codec = codec(transaction, DictionaryCache())
            #expect(try codec.trainingIsDue(from: 127, to: 128))
            #expect(try !codec.trainingIsDue(from: 128, to: 129))
            let plain = Codec(transaction: transaction, cache: DictionaryCache(), compression: .uncompressed)
            #expect(try !plain.trainingIsDue(from: 127, to: 128))
            try codec.train(BodySamples.samples(0..<10), liveDocuments: 10)
            #expect(try codec.newestDictionary() == nil, "too little for a dictionary")
            try codec.train(BodySamples.samples(0..<400), liveDocuments: 400)
            #expect(try !codec.trainingIsDue(from: 255, to: 256), "there is one")
        }
    }
}
