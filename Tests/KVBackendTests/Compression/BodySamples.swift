import Foundation
import StorageConformance
import StorageProtocol

@testable import SetteeKV

/// Bodies and their stored forms, without a store.
enum BodySamples {
    /// A document of about 250 bytes that resembles the others.
    static func person(_ number: Int) -> [UInt8] {
        var random = SeededGenerator(seed: UInt64(number))
        let first = ["Ada", "Grace", "Linus", "Edsger", "Barbara"][random.below(5)]
        let city = ["Ghent", "Aalborg", "Evora", "Turku"][random.below(4)]
        return Array(
            """
            {"address":{"city":"\(city)","street":"\(random.below(200)) Lantern Street","zip":"\(random.below(90000))"},\
            "balance":\(random.below(100_000)),"email":["\(first.lowercased()).\(number)@people.example.org"],\
            "likes":["gardening","chess"],"memberSince":"20\(10 + random.below(10))-0\(1 + random.below(9))-11",\
            "name":{"first":"\(first)","last":"Person \(number)"}}
            """.utf8
        )
    }

    /// A dictionary of `count` persons.
    static func dictionary(version: UInt32 = 1, persons: Range<Int> = 0..<100) -> CompressionDictionary {
        samples(persons).dictionary(version: version)
    }

    static func samples(_ persons: Range<Int>) -> DictionarySamples {
        var samples = DictionarySamples()
        for number in persons { person(number).withUnsafeBytes { samples.add($0) } }
        return samples
    }

    /// The stored form of a body.
    static func stored(_ json: [UInt8], _ dictionary: CompressionDictionary? = nil) -> [UInt8] {
        let encoder = BodyEncoder()
        return json.withUnsafeBytes { bytes(of: encoder.encode($0, with: dictionary)) }
    }

    static func bytes(of body: StoredBody) -> [UInt8] {
        var bytes = [UInt8](repeating: 0xAA, count: body.length)
        bytes.withUnsafeMutableBytes { body.write(to: $0, at: 0) }
        return bytes
    }

    /// The JSON of a stored form.
    ///
    /// - Throws: `corrupt` as the codec does; `unexpected` where it writes beyond the length that the body states.
    static func json(_ stored: [UInt8], _ dictionaries: CompressionDictionary...) throws(StorageError) -> [UInt8] {
        // Exactly as long as the body, so that reading beyond it would leave the allocation.
        let source = UnsafeMutableRawBufferPointer.allocate(byteCount: stored.count, alignment: 1)
        defer { source.deallocate() }
        source.copyBytes(from: stored)
        switch try BodyParts(UnsafeRawBufferPointer(source)) {
        case .raw(let json): return Array(json)
        case .compressed(let body):
            let dictionary = dictionaries.first { $0.version == body.dictionaryVersion }
            guard body.dictionaryVersion == 0 || dictionary != nil else { throw .corrupt("unknown dictionary") }
            var target = [UInt8](repeating: 0x5A, count: body.length + 64)
            var failure: StorageError?
            target.withUnsafeMutableBytes { target in
                do throws(StorageError) {
                    try body.decompress(
                        with: dictionary,
                        into: UnsafeMutableRawBufferPointer(rebasing: target[..<body.length])
                    )
                } catch {
                    failure = error
                }
            }
            guard target[body.length...].allSatisfy({ $0 == 0x5A }) else {
                throw StorageError(.unexpected, "Something was written behind the buffer.")
            }
            if let failure { throw failure }
            return Array(target[..<body.length])
        }
    }
}
