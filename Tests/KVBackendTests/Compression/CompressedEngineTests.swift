import Foundation
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeKV

/// An engine with a compressed store: its contract, when dictionaries are made, and what opening checks.
@Suite struct CompressedEngineTests {
    /// Makes every new store compressed.
    private struct CompressingFactory: ForwardingEngineFactory {
        let base: any StorageEngineFactory = LMDBEngineFactory(mapSize: 1 << 32)

        func open(directory: String, options: StorageOptions) throws(StorageError) -> any StorageEngine {
            var options = options
            options.compression = options.compression ?? .lz4
            return try base.open(directory: directory, options: options)
        }
    }

    private static let row = EngineCase(name: "lmdb, compressed", factory: CompressingFactory())

    @Test(arguments: Conformance.tests)
    func keepsItsPromises(test: ConformanceTest) throws {
        try test.run(on: Self.row)
    }

    @Test(arguments: UInt64(1)...5)
    func agreesWithTheModel(seed: UInt64) throws {
        _ = try RandomOperations.run(seed: seed, count: 300, on: Self.row)
    }

    private func open(
        _ folder: TestFolder,
        _ compression: Compression? = .lz4,
        create: Bool = true
    ) throws(StorageError) -> LMDBEngine {
        let options = StorageOptions(create: create, durability: .normal, compression: compression)
        let engine = try LMDBEngineFactory(mapSize: 1 << 32).open(directory: folder.path, options: options)
        guard let engine = engine as? LMDBEngine else { throw StorageError(.unexpected, "no engine of LMDB") }
        return engine
    }

    private func person(_ number: Int) -> String { String(decoding: BodySamples.person(number), as: UTF8.self) }

    private func versions(_ engine: LMDBEngine) throws -> [String] {
        try engine.entries(.dictionaries).map { String($0.prefix(8)) }
    }

    /// All bodies, and the bytes of all records.
    private func expectPersons(_ count: Int, in engine: LMDBEngine) throws {
        try engine.read { (transaction) throws(StorageError) in
            for number in 0..<count { #expect(try transaction.json("\(number)") == person(number)) }
        }
        #expect(try engine.problems() == [])
    }

    @Test("One large transaction trains in the middle, and what comes before and after can be read")
    func oneTransaction() throws {
        let folder = try TestFolder()
        let engine = try open(folder)
        try engine.write { (transaction) throws(StorageError) in
            for number in 0..<1000 { try transaction.add("\(number)", person(number)) }
            #expect(try transaction.json("0") == person(0))
            #expect(try transaction.json("999") == person(999))
        }
        try expectPersons(1000, in: engine)
        #expect(try versions(engine) == ["00000001"])
        let figures = try engine.statistics().details
        #expect(figures.first { $0.name == "dictionaries" }?.value.hasPrefix("version 1: ") == true)
        engine.close()
        let again = try open(folder, nil, create: false)
        #expect(again.compression == .lz4)
        try expectPersons(1000, in: again)
        let plain = try TestFolder()
        let other = try open(plain, nil)
        try other.write { (transaction) throws(StorageError) in
            for number in 0..<1000 { try transaction.add("\(number)", person(number)) }
        }
        let text = try other.entries(.documents).reduce(0) { $0 + $1.utf8.count }
        #expect(try recordLength(again) * 10 < text * 7)
        #expect(try versions(other) == [])
        again.close()
        other.close()
    }

    private func recordLength(_ engine: LMDBEngine) throws -> Int {
        try engine.entries(.documents).reduce(0) { $0 + $1.utf8.count }
    }

    @Test("A new engine for each document makes a dictionary as well")
    func oneEngineADocument() throws {
        let folder = try TestFolder()
        for start in stride(from: 0, to: 600, by: 30) {
            let engine = try open(folder)
            for number in start..<(start + 30) {
                try engine.write { (transaction) throws(StorageError) in
                    _ = try transaction.add("\(number)", person(number))
                }
            }
            engine.close()
        }
        let engine = try open(folder)
        #expect(try versions(engine) == ["00000001"])
        try expectPersons(600, in: engine)
        engine.close()
    }

    @Test("A training that was rolled back is repeated by the next writer")
    func rolledBack() throws {
        let folder = try TestFolder()
        let (first, second) = (try open(folder), try open(folder))
        let transaction = try first.beginWrite()
        for number in 0..<600 { try transaction.add("\(number)", person(number + 5000)) }
        transaction.rollback()
        #expect(try versions(first) == [])
        try second.write { (transaction) throws(StorageError) in
            for number in 0..<600 { try transaction.add("\(number)", person(number)) }
        }
        #expect(try versions(second) == ["00000001"])
        // The first has the lost dictionary in memory.
        try first.write { (transaction) throws(StorageError) in
            for number in 600..<700 { try transaction.add("\(number)", person(number)) }
        }
        for engine in [first, second] {
            try expectPersons(700, in: engine)
            engine.close()
        }
    }

    @Test("Updates, kept and unchanged bodies, conflicts' bodies")
    func updates() throws {
        let folder = try TestFolder()
        let engine = try open(folder)
        try engine.write { (transaction) throws(StorageError) in
            for number in 0..<300 {
                try transaction.add("\(number)", person(number))
                let old = try transaction.counters().lastSequence
                try transaction.change("\(number)")
                #expect(try transaction.json("\(number)") == person(number))
                let new = Array(person(number + 1000).utf8)
                try transaction.change("\(number)", .replaceKeepingOld(new, oldSequence: old))
                #expect(try transaction.json("\(number)") == person(number + 1000))
                var kept: [UInt8] = []
                _ = try transaction.revisionBody(at: old) { (body) throws(StorageError) in
                    kept = body.withUnsafeBytes { Array($0) }
                }
                #expect(kept == Array(person(number).utf8))
            }
        }
        #expect(try versions(engine) == ["00000001"])
        #expect(try engine.problems() == [])
        engine.close()
    }

    @Test("A new dictionary is used for new bodies, and old ones can still be read")
    func renewal() throws {
        let folder = try TestFolder()
        let engine = try open(folder)
        try engine.write { (transaction) throws(StorageError) in
            for number in 0..<400 { try transaction.add("\(number)", person(number)) }
        }
        func reading(_ number: Int) -> String {
            #"{"kind":"measurement","place":"hall \#(number % 7)","value":{"unit":"kelvin","value":\#(number)}}"#
        }
        let renewed = try engine.write { (transaction) throws(StorageError) in
            guard let transaction = transaction as? LMDBWriteTransaction else { return true }
            return try transaction.renewDictionary()
        }
        #expect(!renewed, "the documents are as they were")
        try engine.write { (transaction) throws(StorageError) in
            for number in 0..<4000 { try transaction.add("r\(number)", reading(number)) }
        }
        for expected in [true, false] {
            let renewed = try engine.write { (transaction) throws(StorageError) in
                guard let transaction = transaction as? LMDBWriteTransaction else { return !expected }
                return try transaction.renewDictionary()
            }
            #expect(renewed == expected)
        }
        #expect(try versions(engine) == ["00000001", "00000002"])
        try engine.write { (transaction) throws(StorageError) in _ = try transaction.add("new", reading(9999)) }
        try expectPersons(400, in: engine)
        try engine.read { (transaction) throws(StorageError) in
            #expect(try transaction.json("new") == reading(9999))
            #expect(try transaction.json("r17") == reading(17))
        }
        // The copy has them all.
        let target = try TestFolder()
        try engine.copy(toDirectory: target.path) { (_, _) throws(StorageError) in }
        let copy = try open(target, nil, create: false)
        #expect(copy.compression == .lz4)
        try expectPersons(400, in: copy)
        copy.close()
        engine.close()
    }

    @Test("A damaged dictionary or body is corrupt, and check reports it")
    func damage() throws {
        let folder = try TestFolder()
        var engine = try open(folder)
        try engine.write { (transaction) throws(StorageError) in
            for number in 0..<400 { try transaction.add("\(number)", person(number)) }
        }
        let entries = try engine.entries(.dictionaries)
        let digits = Array(entries[0].utf8.dropFirst(9))
        let value = stride(from: 0, to: digits.count, by: 2).map { index in
            UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) ?? 0
        }
        var damaged = value
        damaged[5000] ^= 1
        for bytes in [damaged, nil, Array(value.prefix(10))] {
            try engine.tamper(.dictionaries, [0, 0, 0, 1], bytes)
            engine.close()
            engine = try open(folder)
            let failure = code {
                try engine.read { (transaction) throws(StorageError) in _ = try transaction.json("399") }
            }
            #expect(failure == .corrupt)
            #expect(try !engine.problems().isEmpty)
            #expect(try engine.read { (transaction) throws(StorageError) in try transaction.json("0") } == person(0))
        }
        try engine.tamper(.dictionaries, [0, 0, 0, 1], value)
        try expectPersons(400, in: engine)
        engine.close()
    }

    @Test("An existing store keeps its compression; another choice is refused")
    func choices() throws {
        for (made, other) in [(Compression.lz4, Compression.uncompressed), (.uncompressed, .lz4)] {
            let folder = try TestFolder()
            let engine = try open(folder, made)
            #expect(engine.compression == made)
            try engine.write { (transaction) throws(StorageError) in
                for number in 0..<300 { try transaction.add("\(number)", person(number)) }
            }
            engine.close()
            #expect(code { _ = try open(folder, other) } == .badParameter)
            for choice in [made, nil] {
                let engine = try open(folder, choice, create: false)
                #expect(engine.compression == made)
                try expectPersons(300, in: engine)
                engine.close()
            }
        }
    }
}
