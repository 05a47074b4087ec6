import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeKV

/// The stored form of bodies, and that they can be read back.
@Suite struct BodyFormatTests {
    @Test func smallBodiesAreStoredAsTheyAre() throws {
        for json in ["", "{}", #"{"a":1}"#, #"{"foo":"bar","n":[1,2]}"#] {
            let stored = BodySamples.stored(Array(json.utf8), BodySamples.dictionary())
            #expect(stored == [0] + Array(json.utf8))
            #expect(try BodySamples.json(stored) == Array(json.utf8))
        }
    }

    /// The documentation's example, byte by byte: form, dictionary, length, CRC-32, block.
    @Test func vectorWithoutDictionary() throws {
        let json = Array(#"{"a":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}"#.utf8)
        let stored = BodySamples.stored(json)
        #expect(Array(stored[0..<3]) == [1, 0, UInt8(json.count)])
        // As computed by Python's zlib.crc32.
        #expect(Array(stored[3..<7]) == [0x51, 0x89, 0xF2, 0xC3])
        #expect(try BodySamples.json(stored) == json)
        #expect(stored.count < json.count)
    }

    /// A block that was written by hand: it must stay readable whatever changes in the library.
    @Test func vectorWithDictionary() throws {
        let dictionary = Array("0123456789abcdefghij".utf8).withUnsafeBytes {
            CompressionDictionary(version: 300, contents: $0)
        }
        // 1 literal "A", 15 bytes from 21 back (the dictionary's beginning), then the literals "vwxyz".
        let block: [UInt8] = [0x1B, 0x41, 21, 0, 0x50] + Array("vwxyz".utf8)
        let json = Array("A0123456789abcdevwxyz".utf8)
        let checksum = json.withUnsafeBytes { Checksum.crc32($0) }
        let stored: [UInt8] =
            [1, 0xAC, 0x02, UInt8(json.count)] + (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (8 * $0)) } + block
        #expect(try BodySamples.json(stored, dictionary) == json)
    }

    @Test func aDictionaryMakesSmallDocumentsShort() throws {
        let dictionary = BodySamples.dictionary()
        var (text, alone, together) = (0, 0, 0)
        for number in 1000..<1200 {
            let json = BodySamples.person(number)
            let stored = BodySamples.stored(json, dictionary)
            #expect(try BodySamples.json(stored, dictionary) == json)
            text += json.count
            alone += BodySamples.stored(json).count
            together += stored.count
        }
        #expect(together * 2 < text)
        #expect(together < alone)
    }

    @Test(arguments: [24, 255, 4096, 65_535, 65_536, 1 << 20, 32 << 20])
    func longBodies(_ length: Int) throws {
        let dictionary = BodySamples.dictionary()
        var random = SeededGenerator(seed: UInt64(length))
        let run = [UInt8](repeating: 0x61, count: length)
        // No control characters, which are not allowed in JSON strings.
        let words = (0...(length / 8)).map { _ in random.next() | 0x2020_2020_2020_2020 }
        let noise = words.withUnsafeBytes { Array($0.prefix(length)) }
        var mixed = run
        for place in stride(from: 0, to: length, by: 371) { mixed[place] = noise[place] }
        for json in [run, noise, mixed] {
            for dictionary in [dictionary, nil] {
                let stored = BodySamples.stored(json, dictionary)
                #expect(stored.count <= json.count + 1)
                let back = dictionary == nil ? try BodySamples.json(stored) : try BodySamples.json(stored, dictionary!)
                #expect(back == json)
            }
        }
        #expect(BodySamples.stored(noise, dictionary) == [0] + noise)
        #expect(BodySamples.stored(run).count < length)
    }

    @Test func anEncoderIsUsedAgain() throws {
        let encoder = BodyEncoder()
        let dictionary = BodySamples.dictionary()
        for number in 0..<300 {
            let json = number % 50 == 49 ? [UInt8](repeating: 0x62, count: 20_000) : BodySamples.person(number)
            let with = number % 3 == 0 ? nil : dictionary
            let stored = json.withUnsafeBytes { BodySamples.bytes(of: encoder.encode($0, with: with)) }
            #expect(stored == BodySamples.stored(json, with), "what came before leaves no trace")
            #expect(try BodySamples.json(stored, dictionary) == json)
        }
    }
}
