import Foundation
import Settee
import SetteeTestSupport
import StorageConformance
import Testing

@testable import SetteeEngine

/// One byte of a database's file is changed: `check` reports it if it belongs to a stored revision (its body, ID,
/// parents, sequences, and their lengths).
@Suite struct FileByteTests {
    private static let isStress = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil

    private static let stores: [(StorageType, Compression)] = [
        (.sqlite, .uncompressed), (.lmdb, .uncompressed), (.lmdb, .lz4),
    ]

    /// Stored bytes of one document, as they lie in the file.
    private struct Place {
        var name: String
        var range: Range<Int>
    }

    @Test(arguments: stores) func everyChangedByteIsNamed(_ type: StorageType, _ compression: Compression) throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "db")
        let documents = try fill(url, type, compression)
        let file = try dataFile(url, type)
        let sound = try [UInt8](Data(contentsOf: file))
        #expect(try problems(url) == [])
        let places = try places(of: documents, in: sound, type, compression) { bytes in
            try Data(bytes).write(to: file)
            return try !problems(url).isEmpty
        }
        let seed: UInt64 = 14
        var random = SeededGenerator(seed: seed)
        var unseen: [String] = []
        for place in places {
            let offsets = Array(place.range)
            for offset in Self.isStress ? offsets : Array(offsets.shuffled(using: &random).prefix(5)) {
                var bytes = sound
                let bit = UInt8.random(in: 0..<8, using: &random)
                bytes[offset] ^= 1 << bit
                try Data(bytes).write(to: file)
                if try problems(url).isEmpty {
                    unseen.append("\(place.name), byte \(offset - place.range.lowerBound), bit \(bit)")
                }
            }
        }
        #expect(unseen == [], "seed \(seed)")
    }

    /// What is stored of a document.
    private struct Document {
        var tree: RevisionTree
        var body: [UInt8]
    }

    private func fill(_ url: URL, _ type: StorageType, _ compression: Compression) throws -> [String: Document] {
        let options = DatabaseOptions(
            storageType: type,
            durability: .normal,
            compression: compression == .lz4 ? .lz4 : nil,
            compactionThreshold: nil
        )
        let database = try Database.open(at: url, options: options)
        // Enough for a dictionary.
        try database.inTransaction {
            for number in 0..<(compression == .lz4 ? 300 : 0) {
                try database["filler \(number)"].put(["n": JSONValue(number), "text": "words, words"])
            }
        }
        for number in 0..<3 {
            let document = database["own \(number)"]
            let text = (0...number * 3).map { "sentence \($0) of \(number)" }.joined(separator: ", ")
            let first = try document.put(["n": JSONValue(number), "text": .string(text)])
            let second = try document.put(["n": JSONValue(number), "text": .string(text + "!")], parent: first.id)
            if number % 2 == 0 { try document.put(["last": .string(text)], parent: second.id) }
        }
        for text in ["3-a", "3-b", "3-c"] {
            try database["foreign"].forceInsert(["s": .string(text)], history: [RevisionID(text), RevisionID("2-x")])
        }
        let doomed = try database["gone"].put(["a": 1])
        try database["gone"].put(json: #"{"_deleted":true,"why":"tidying"}"#, parent: doomed.id)
        for number in 0..<5 { try database["long"].update { $0["n"] = JSONValue(number) } }
        var documents: [String: Document] = [:]
        for id in (0..<3).map({ "own \($0)" }) + ["foreign", "gone", "long"] {
            let tree = try #require(try database.revisionTree(of: DocumentID(id)))
            let winner = try #require(tree.winner)
            documents[id] = Document(tree: tree, body: try #require(try database[id].revision(winner.id)).json)
        }
        try database.close()
        return documents
    }

    private func dataFile(_ url: URL, _ type: StorageType) throws -> URL {
        let name = type == .sqlite ? "db.sqlite3" : "data.mdb"
        return url.appending(path: "data-000001").appending(path: name)
    }

    /// What `settee check` lists.
    private func problems(_ url: URL) throws -> [String] {
        let options = DatabaseOptions(create: false, compactionThreshold: nil, toleratesDamage: true)
        let suspect = url.appending(path: "data-000001/suspect")
        defer { try? FileManager.default.removeItem(at: suspect) }
        do throws(StorageError) {
            let database = try Database.open(at: url, options: options)
            let problems = try database.check()
            try database.close()
            return problems.map(\.description)
        } catch {
            #expect(error.code == .corrupt || error.code == .unsupportedFormat, "\(error)")
            return [error.message]
        }
    }

    /// Where each tree is in the file, and next to it the winner's ID, the lengths and the body.
    private func places(
        of documents: [String: Document],
        in bytes: [UInt8],
        _ type: StorageType,
        _ compression: Compression,
        isDamage: ([UInt8]) throws -> Bool
    ) throws -> [Place] {
        var places: [Place] = []
        for (id, document) in documents.sorted(by: { $0.key < $1.key }) {
            let stored = document.tree.storedBytes
            // A key-value record has the place of the ID in the tree, and the tree's length; then the body's form. A
            // row of SQLite has the generation and the place, or an opaque ID's text.
            let winner = document.tree.nodes[0].id
            let number = winner.generation == 1 ? 1 : 2
            let before = type == .sqlite ? (winner.digest == nil ? winner.string.utf8.count : number) : 2
            let body = document.body.count + (type == .sqlite ? 0 : 1)
            // Free pages still have their old content.
            let used = try offsets(of: stored, in: bytes).filter { start in
                var other = bytes
                for place in start..<start + stored.count { other[place] ^= 0xFF }
                return try isDamage(other)
            }
            #expect(used.count == 1, "the tree of \(id)")
            for start in used {
                let end = start + stored.count
                places.append(Place(name: "the tree of \(id)", range: start..<end))
                places.append(Place(name: "the ID of \(id)", range: start - before..<start))
                let length = compression == .lz4 ? min(body, 16) : body
                places.append(Place(name: "the body of \(id)", range: end..<end + length))
            }
        }
        return places
    }

    private func offsets(of part: [UInt8], in bytes: [UInt8]) -> [Int] {
        let data = Data(bytes)
        var found: [Int] = []
        var start = 0
        while let range = data.range(of: Data(part), in: start..<data.count) {
            found.append(range.lowerBound)
            start = range.upperBound
        }
        return found
    }
}
