import Foundation
import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeBenchmarking

/// Loads that were made to favour a storage type, measured.
@Suite("Recommendations that are measured")
struct RecommenderTests {
    private var recommender: Recommender {
        var recommender = Recommender()
        recommender.rounds = 3
        recommender.longest = 0.03
        return recommender
    }

    private func load(_ change: (inout LoadDescription) -> Void) -> LoadDescription {
        var load = LoadDescription()
        load.documents = 500
        load.documentBytes = 200
        change(&load)
        return load
    }

    @Test("Every operation can be measured on every storage type that is able")
    func everything() throws {
        let all = load {
            $0.shares = Dictionary(uniqueKeysWithValues: LoadDescription.Operation.allCases.map { ($0, 1) })
            $0.isVolatile = true
            $0.durability = .normal
            $0.attachmentBytes = 5000
        }
        let result = try recommender.recommend(all)
        #expect(result.storageType != nil)
        for candidate in result.candidates where candidate.refused == nil {
            #expect(Set(candidate.costs.keys) == Set(LoadDescription.Operation.allCases.map(\.rawValue)))
            #expect(candidate.costs.values.allSatisfy { $0 > 0 && $0.isFinite })
            #expect(candidate.rounds.count == 3)
        }
        #expect(result.candidates.filter { $0.refused == nil }.count >= 4)
    }

    @Test("An encrypted load gets the engine that encrypts")
    func encrypted() throws {
        let result = try recommender.recommend(load { $0.isEncrypted = true })
        let cipher = try #require(result.candidates.first { $0.name == "sqlcipher" })
        // Without libsqlcipher nothing is recommended, and no plain engine least of all.
        #expect(result.storageType == (cipher.refused == nil ? "sqlcipher" : nil))
    }

    @Test("A load that does nothing, or nonsense, is refused")
    func refused() {
        for change: (inout LoadDescription) -> Void in [
            { $0.shares = [:] }, { $0.shares = [.read: -1] }, { $0.shares = [.read: .nan] }, { $0.documents = 0 },
            { $0.batch = 0 }, { $0.shares = [.read: .infinity] },
        ] {
            let error = #expect(throws: StorageError.self) { try recommender.recommend(load(change)) }
            #expect(error?.code == .badParameter)
        }
    }

    @Test("A database says how many documents it has, how large they are, and what else there is")
    func like() throws {
        let folder = try TemporaryFolder()
        let database = try Database.open(
            at: folder.url.appending(path: "db"),
            options: DatabaseOptions(durability: .normal)
        )
        defer { try? database.close() }
        for number in 0..<300 { try database["d\(number)"].put(["n": JSONValue(number), "text": "some words"]) }
        try database["d1"].setAttachment(named: "a", content: [UInt8](repeating: 1, count: 3000))
        let plain = try LoadDescription(like: database)
        #expect(plain.documents == 300)
        #expect((25...40).contains(plain.documentBytes))
        #expect(plain.attachmentBytes == 3000)
        #expect(plain.durability == .normal)
        #expect(!plain.isEncrypted)
        #expect(plain.shares[.query] == nil)
        try database.view("v").define(ViewDefinition(keys: [try JSONPointer("/n")]))
        #expect(try LoadDescription(like: database).shares[.query] == 20)
        #expect(try recommender.recommend(try LoadDescription(like: database)).storageType != nil)
    }

    @Test("An empty database is described too")
    func empty() throws {
        let folder = try TemporaryFolder()
        let database = try Database.open(at: folder.url.appending(path: "db"))
        defer { try? database.close() }
        #expect(try LoadDescription(like: database).documents == 1)
    }

    @Test("A trace is repeated on every storage type, with the same content at the end")
    func trace() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "trace")
        let manager = try Manager(directory: folder.url, options: .init(storageType: .memory, traceFile: file))
        let database = try manager.database(named: "db")
        for number in 0..<50 { try database["d\(number)"].put(["n": JSONValue(number)]) }
        for number in 0..<50 { _ = try database["d\(number)"].json() }
        try manager.close()
        let result = try recommender.recommend(try Trace(contentsOf: file), load { $0.durability = .normal })
        let digests = result.candidates.filter { $0.refused == nil }.map(\.digest)
        #expect(digests.count >= 3)
        #expect(Set(digests).count == 1)
        #expect(digests[0] != nil)
        #expect(result.parts["put"] ?? 0 > 0)
        #expect(result.parts["get"] ?? 0 > 0)
    }

    @Test("Nothing is left in the folder")
    func nothingLeft() throws {
        let folder = try TemporaryFolder()
        var recommender = recommender
        recommender.folder = folder.url
        _ = try recommender.recommend(load { $0.memoryBytes = 1000 })
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }
}
