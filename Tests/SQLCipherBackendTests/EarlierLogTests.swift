internal import Foundation
internal import SetteeSQLCipher
internal import SetteeSQLite
internal import StorageProtocol
internal import Testing

/// A restore may leave an earlier log of a store beside its newer file. SQLite moved it into the file, and acknowledged
/// documents were gone. Both engines look the same way.
@Suite(.disabled(if: isSanitized, "a sanitizer lets no second SQLite in"))
struct EarlierLogTests {
    enum Kind: CaseIterable {
        case plain, encrypted

        func open(_ store: CipherStore, readOnly: Bool = false) throws -> any StorageEngine {
            if self == .encrypted { return try store.open(readOnly: readOnly) }
            let options = StorageOptions(create: !readOnly, readOnly: readOnly, durability: .normal)
            return try SQLiteEngineFactory().open(directory: store.directory, options: options)
        }
    }

    private static let frame = 4096 + 24
    private static let isStress = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil

    /// Commits of all kinds, the same for the same seed.
    private struct Commits {
        var seed: UInt64
        var next = 0

        mutating func random(_ limit: Int) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(seed >> 33) % limit
        }

        mutating func make(_ count: Int, in engine: any StorageEngine) throws {
            for _ in 0..<count {
                let kind = next < 3 ? 0 : random(6)
                let (first, size, old) = (next, kind == 1 ? 1 + random(60) : 1, random(max(1, next)))
                let length = random(700)
                try engine.write { (tx) throws(StorageError) in
                    switch kind {
                    case 2:
                        try tx.putLocal("_local/\(old % 7)", body(length, length: 20))
                    case 3:
                        if try tx.record(DocumentID(name(old)), fields: .metadata, { _ in }) {
                            let sequence = try tx.counters().lastSequence + 1
                            try tx.purge(try DocumentID(name(old)), sequence: sequence)
                        }
                    default:
                        for number in first..<first + size { try tx.insert(name(number), body(number, length: length)) }
                    }
                }
                if kind != 2, kind != 3 { next += size }
            }
        }
    }

    private func copy(_ store: CipherStore, _ suffixes: [String] = ["", "-wal"]) throws -> CipherStore {
        let left = try CipherStore()
        for suffix in suffixes {
            try FileManager.default.copyItem(atPath: store.path + suffix, toPath: left.path + suffix)
        }
        return left
    }

    private func expectRefusal(_ store: CipherStore, _ kind: Kind) throws {
        let before = try store.files
        for readOnly in [true, false] {
            #expect(code { try kind.open(store, readOnly: readOnly).close() } == .corrupt)
            #expect(try store.files == before)
        }
    }

    @Test(arguments: Kind.allCases, 1...20)
    func isRefusedAndNothingChanges(_ kind: Kind, seed: Int) throws {
        var commits = Commits(seed: UInt64(seed))
        let store = try CipherStore()
        var engine = try kind.open(store)
        try commits.make(commits.random(80) + 1, in: engine)
        engine.close()
        engine = try kind.open(store)
        try engine.write { (tx) throws(StorageError) in try tx.insert("first", body(1, length: 10)) }
        try commits.make(commits.random(30), in: engine)
        let earlier = try copy(store)
        if seed % 2 == 0 {
            engine.close()
            engine = try kind.open(store)
        }
        try commits.make(seed % 4 == 0 ? 400 : commits.random(60), in: engine)
        try engine.write { (tx) throws(StorageError) in try tx.insert("last", body(1, length: 10)) }
        let content = try engine.everything()
        engine.close()
        let newer = try copy(store, [""])
        try FileManager.default.copyItem(atPath: earlier.path + "-wal", toPath: newer.path + "-wal")
        try expectRefusal(newer, kind)
        try FileManager.default.removeItem(atPath: newer.path + "-wal")
        let again = try kind.open(newer)
        defer { again.close() }
        #expect(try again.everything() == content)
    }

    /// Commits that take no sequence are counted, too.
    @Test(arguments: Kind.allCases)
    func isRefusedIfOnlyLocalDocumentsWereWritten(_ kind: Kind) throws {
        let store = try CipherStore()
        var engine = try kind.open(store)
        try engine.write { (tx) throws(StorageError) in try tx.insert("first", body(1, length: 10)) }
        engine.close()
        engine = try kind.open(store)
        func put(_ number: Int) throws {
            try engine.write { (tx) throws(StorageError) in
                try tx.putLocal("_local/checkpoint", body(number, length: 20))
            }
        }
        try put(1)
        let earlier = try copy(store)
        try put(2)
        engine.close()
        let newer = try copy(store, [""])
        try FileManager.default.copyItem(atPath: earlier.path + "-wal", toPath: newer.path + "-wal")
        try expectRefusal(newer, kind)
    }

    /// A kill at any moment of a checkpoint leaves a log that belongs to the file.
    @Test(arguments: Kind.allCases, 1...(EarlierLogTests.isStress ? 60 : 6))
    func theOwnLogBesideAHalfDoneCheckpointIsTaken(_ kind: Kind, seed: Int) throws {
        var commits = Commits(seed: UInt64(seed * 77))
        let store = try CipherStore()
        var engine = try kind.open(store)
        try commits.make(commits.random(80) + 1, in: engine)
        engine.close()
        engine = try kind.open(store)
        try commits.make(commits.random(30) + 1, in: engine)
        let content = try engine.everything()
        let left = try copy(store)
        engine.close()
        let log = try [UInt8](Data(contentsOf: URL(filePath: left.path + "-wal")))
        var versions: [Int: [ArraySlice<UInt8>]] = [:]
        for start in stride(from: 32, to: log.count, by: Self.frame) {
            let page = log[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
            versions[page, default: []].append(log[start + 24..<start + Self.frame])
        }
        // SQLite moves pages in order; power loss may keep any of them, from any pass.
        for moved in 0...versions.count + 15 {
            let isKill = moved <= versions.count
            let numbers = isKill ? versions.keys.sorted() : versions.keys.shuffled()
            var bytes = try left.fileBytes
            for page in numbers.prefix(isKill ? moved : .random(in: 1...versions.count)) {
                if bytes.count < page * 4096 { bytes += [UInt8](repeating: 0, count: page * 4096 - bytes.count) }
                let version = isKill ? versions[page]?.last : versions[page]?.randomElement()
                bytes.replaceSubrange((page - 1) * 4096..<page * 4096, with: version ?? [])
            }
            let half = try CipherStore()
            try Data(bytes).write(to: URL(filePath: half.path))
            try Data(log).write(to: URL(filePath: half.path + "-wal"))
            let again = try kind.open(half)
            defer { again.close() }
            #expect(try again.everything() == content, "\(moved) pages")
        }
    }

    /// A frame with a page that is right, in a commit that gives the file another length.
    @Test(arguments: Kind.allCases, [-1, 1000])
    func aFrameThatChangesTheLengthIsRefused(_ kind: Kind, by change: Int) throws {
        var commits = Commits(seed: 5)
        let store = try CipherStore()
        let engine = try kind.open(store)
        try commits.make(60, in: engine)
        engine.close()
        let bytes = try store.fileBytes
        let pages = change < 0 ? 3 : UInt32(bytes.count / 4096 + change)
        for number in [1, 2, 3] {
            let page = Array(bytes[(number - 1) * 4096..<number * 4096])
            let log = HandMadeLog.bytes([(UInt32(number), page)], pages: pages)
            try log.write(to: URL(filePath: store.path + "-wal"))
            try expectRefusal(store, kind)
        }
    }
}

extension WriteTransaction {
    fileprivate func putLocal(_ id: String, _ json: [UInt8]) throws(StorageError) {
        try unsafe putLocalDocument(DocumentID(id), revision: Array("1-local".utf8).span.bytes, json: json.span.bytes)
    }
}
