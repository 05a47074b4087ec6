import StorageProtocol
import Testing

@testable import SetteeKV

/// Dictionaries on their own: their samples, their stored form, and when they are made.
@Suite struct DictionaryTests {
    @Test func samplesGiveTheSameDictionary() {
        let (a, b) = (BodySamples.dictionary(), BodySamples.dictionary())
        #expect(Array(a.contents) == Array(b.contents))
        #expect(a.identity != b.identity)
        #expect(a.contents.count > 20_000)
        let json = BodySamples.person(777)
        #expect(BodySamples.stored(json, a) == BodySamples.stored(json, b))
    }

    @Test func samplesAreBounded() {
        var samples = DictionarySamples()
        #expect(!samples.suffice(liveDocuments: .max))
        let large = [UInt8](repeating: 0x61, count: 1 << 20)
        large.withUnsafeBytes { samples.add($0) }
        #expect(samples.bytes.count == 16_383, "one large document does not fill it")
        #expect(!samples.isFull && !samples.suffice(liveDocuments: 100) && samples.suffice(liveDocuments: 4096))
        large.withUnsafeBytes { samples.add($0) }
        #expect(!samples.suffice(liveDocuments: 100))
        large.withUnsafeBytes { samples.add($0) }
        #expect(!samples.isFull && samples.suffice(liveDocuments: 0), "half of it is enough")
        for _ in 0..<10 { large.withUnsafeBytes { samples.add($0) } }
        #expect(samples.isFull && samples.suffice(liveDocuments: 0))
        #expect(samples.bytes.count == CompressionDictionary.maximumLength)
    }

    @Test func storedFormAndItsDamage() throws {
        let dictionary = BodySamples.dictionary(version: 9)
        var stored = [UInt8](repeating: 0, count: dictionary.storedLength)
        stored.withUnsafeMutableBytes { dictionary.writeStored(to: $0) }
        let back = try read(stored)
        #expect(back.identity == dictionary.identity)
        #expect(Array(back.contents) == Array(dictionary.contents))
        #expect(Array(stored[20...]) == Array(dictionary.contents))
        for length in [0, 1, 15, 19, 20, stored.count - 1] {
            #expect(code { _ = try read(Array(stored[..<length])) } == .corrupt, "cut to \(length)")
        }
        for place in stride(from: 16, to: stored.count, by: 7) {
            var damaged = stored
            damaged[place] ^= 4
            #expect(code { _ = try read(damaged) } == .corrupt, "byte \(place)")
        }
        let long = stored[..<20] + [UInt8](repeating: 0, count: 70_000)
        #expect(code { _ = try read(Array(long)) } == .corrupt)
    }

    private func read(_ stored: [UInt8]) throws(StorageError) -> CompressionDictionary {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: stored.count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyBytes(from: stored)
        return try CompressionDictionary(version: 9, stored: UnsafeRawBufferPointer(copy))
    }

    @Test func looksComeAtPowersOfTwo() {
        let looks = (1...UInt64(5000)).filter { DictionarySchedule.isDue(from: $0 - 1, to: $0) }
        #expect(looks == [128, 256, 512, 1024, 2048, 4096])
        #expect(DictionarySchedule.isDue(from: 0, to: 5_000_000))
        #expect(DictionarySchedule.isDue(from: 100, to: 300))
        #expect(!DictionarySchedule.isDue(from: 300, to: 300))
        #expect(!DictionarySchedule.isDue(from: 260, to: 500))
        #expect(!DictionarySchedule.isDue(from: 0, to: 127))
    }

    @Test(arguments: [1, 2, 100, 128, 511, 512, 513, 100_000, UInt64(Int64.max)])
    func samplesAreSpread(_ last: UInt64) {
        let all = Array(DictionarySchedule.samples(lastSequence: last))
        #expect(all.count == min(512, Int(clamping: last)))
        #expect(Set(all).count == all.count)
        #expect(all.allSatisfy { (1...last).contains($0) })
        // The first 32 leave no gap above a quarter of the whole.
        guard last >= 128 else { return }
        let first = [0] + all.prefix(32).sorted() + [last]
        #expect(zip(first, first.dropFirst()).allSatisfy { $1 - $0 <= last / 4 })
        #expect(DictionarySchedule.samples(lastSequence: 0).isEmpty)
    }

    @Test func renewalOnlyWhereItHelps() throws {
        let present = BodySamples.dictionary(version: 4, persons: 0..<400)
        func renewal(_ make: (Int) -> [UInt8]) -> DictionaryRenewal {
            var renewal = DictionaryRenewal()
            for number in 2000..<3000 { make(number).withUnsafeBytes { renewal.add($0) } }
            return renewal
        }
        #expect(renewal(BodySamples.person).isFull)
        #expect(renewal(BodySamples.person).dictionary(after: present) == nil, "the data is as it was")
        #expect(renewal(BodySamples.person).dictionary(after: nil)?.version == 1)
        let changed = renewal { number in
            Array(
                #"{"kind":"measurement","sensor":\#(number % 17),"temperature":{"unit":"kelvin","value":\#(number)}}"#
                    .utf8
            )
        }
        #expect(changed.dictionary(after: present)?.version == 5)
        #expect(DictionaryRenewal().dictionary(after: present) == nil)
        let last = BodySamples.dictionary(version: .max)
        #expect(changed.dictionary(after: last) == nil, "versions do not begin again")
    }
}

extension Sequence {
    fileprivate var isEmpty: Bool {
        var iterator = makeIterator()
        return iterator.next() == nil
    }
}
