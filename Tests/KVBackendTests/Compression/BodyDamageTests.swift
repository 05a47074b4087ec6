import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeKV

/// Damaged bodies are `corrupt`, never wrong content, never a crash.
@Suite struct BodyDamageTests {
    private let dictionary = BodySamples.dictionary()
    private let other = BodySamples.dictionary(version: 2, persons: 500..<600)

    /// What a body reads as: its JSON, or nil for `corrupt`.
    private func read(_ stored: [UInt8]) throws -> [UInt8]? {
        do throws(StorageError) {
            return try BodySamples.json(stored, dictionary, other)
        } catch {
            guard error.code == .corrupt else { throw error }
            return nil
        }
    }

    @Test func everyBitFlipped() throws {
        var unharmed = 0
        for (number, dictionary) in [(7, dictionary), (8, other), (9, nil)] as [(Int, CompressionDictionary?)] {
            let json = BodySamples.person(number) + BodySamples.person(number).suffix(60)
            let stored = BodySamples.stored(json, dictionary)
            #expect(stored[0] == 1)
            for place in 0..<(stored.count * 8) {
                var damaged = stored
                damaged[place / 8] ^= 1 << UInt8(place % 8)
                // A reference may lead to the same text elsewhere.
                guard let result = try read(damaged) else { continue }
                #expect(result == json, "bit \(place)")
                unharmed += 1
            }
        }
        #expect(unharmed < 100)
    }

    @Test func everyCut() throws {
        for dictionary in [dictionary, nil] {
            let json = BodySamples.person(3) + BodySamples.person(3)
            let stored = BodySamples.stored(json, dictionary)
            for length in 0..<stored.count { #expect(try read(Array(stored[..<length])) == nil, "cut to \(length)") }
            #expect(try read(stored + [0]) == nil)
        }
    }

    @Test func randomBytes() throws {
        var random = SeededGenerator(seed: 1)
        let stored = BodySamples.stored(BodySamples.person(5), dictionary)
        for round in 0..<20_000 {
            var bytes = stored
            if round % 2 == 0 {
                for _ in 0...random.below(8) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
                bytes[0] = 1
            } else {
                bytes = [1, UInt8(random.below(3))] + (0..<random.below(100)).map { _ in UInt8(random.below(256)) }
            }
            if let result = try read(bytes) { #expect(result == BodySamples.person(5), "round \(round)") }
        }
    }

    /// A length that memory must not be allocated for, in an otherwise sound head.
    @Test(arguments: [0, (32 << 20) + 1, 0xFFFF_FFFF, UInt64.max, 1 << 24] as [UInt64])
    func impossibleLengths(_ length: UInt64) throws {
        var head: [UInt8] = [1, 0]
        var rest = length
        repeat {
            head.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
            rest >>= 7
        } while rest > 0
        let stored = head + [UInt8](repeating: 0x1F, count: 5000)
        #expect(code { _ = try BodySamples.json(stored) } == .corrupt)
    }

    @Test func unknownForms() throws {
        #expect(try read([]) == nil)
        for form in 2...255 { #expect(try read([UInt8(form)] + Array(#"{"a":1}"#.utf8)) == nil) }
        // Dictionary 128 does not exist; 0x80 0x00 is 0 in more bytes than necessary.
        let json = [UInt8](repeating: 0x61, count: 100)
        let stored = BodySamples.stored(json)
        #expect(stored[1] == 0)
        #expect(try read([1, 0x80, 0x01] + stored[2...]) == nil)
        #expect(try read([1, 0x80, 0x00] + stored[2...]) == nil)
    }

    /// A compressed body with a damaged first byte is not JSON.
    @Test func compressedReadAsRaw() throws {
        var stored = BodySamples.stored(BodySamples.person(1), dictionary)
        stored[0] = 0
        #expect(try read(stored) == nil)
    }
}
