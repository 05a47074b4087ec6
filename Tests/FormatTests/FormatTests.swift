import Foundation
import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

/// Databases that an earlier version has written are opened, read, checked, changed and converted by this one.
@Suite("Databases of earlier versions")
struct FormatTests {
    @Test(arguments: Corpus.names, [false, true])
    func haveWhatTheyHad(_ name: String, readOnly: Bool) throws {
        let corpus = try Corpus(name)
        let database = try corpus.open(readOnly: readOnly)
        defer { try? database.close() }
        #expect(try database.check().map(\.description) == [])
        #expect(try ExportText(database).content == Corpus.content())
        #expect(try database["person-32"].read().attachment(named: "file")?.content().count == 70_000)
        #expect(try database.info["key"] == "value")
    }

    /// The collation of `raw` is that of bytes. The others are built anew where ICU has another version.
    @Test(arguments: Corpus.names)
    func haveTheirViews(_ name: String) throws {
        let corpus = try Corpus(name)
        let database = try corpus.open()
        defer { try? database.close() }
        var people: [(name: String, city: String, age: Int)] = []
        for row in try database.allDocumentsQuery().run() {
            let document = try database[#require(row.documentID)].read()
            guard let age = document["age"]?.intValue else { continue }
            people.append((document["name"]?.stringValue ?? "", document["city"]?.stringValue ?? "", Int(age)))
        }
        #expect(people.count == 190)
        let names = people.map(\.name).filter { $0 != "Late" }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }

        var raw = database.view("raw").query()
        raw.update = .never
        #expect(try raw.run().map { $0.key.stringValue ?? "" } == names, "the index as it is in the file")
        raw.update = .before
        #expect(try raw.run().first?.key == "Late")

        let stats = try #require(try database.view("ages").query().run().first?.value)
        let ages = people.map(\.age)
        #expect(stats["count"]?.intValue == Int64(ages.count))
        #expect(stats["sum"]?.intValue == Int64(ages.reduce(0, +)))
        #expect(stats["min"]?.intValue == ages.min().map(Int64.init))
        #expect(stats["max"]?.intValue == ages.max().map(Int64.init))

        var cities = database.view("cities").query()
        cities.groupLevel = 1
        let counts = Dictionary(grouping: people, by: \.city).mapValues { Optional(Int64($0.count)) }
        // Documents without a city have null there.
        let found = try cities.run().compactMap { row in row.key(at: 0)?.stringValue.map { ($0, row.value?.intValue) } }
        #expect(Dictionary(uniqueKeysWithValues: found) == counts)
        #expect(try database.check().map(\.description) == [])
    }

    @Test(arguments: Corpus.names)
    func canBeChanged(_ name: String) throws {
        let corpus = try Corpus(name)
        var database = try corpus.open()
        try database["new"].put(["n": 1])
        #expect(try database["updated"].update { $0["number"] = 30 }?.id.string.hasPrefix("31-") == true)
        try database["person-0"].delete()
        try database["longer"].purge()
        try database["person-31"].setAttachment(named: "file", content: Array("other".utf8))
        _ = try database.compact()
        try database.close()
        database = try corpus.open()
        defer { try? database.close() }
        #expect(try database["new"].read()["n"] == 1)
        #expect(try database["updated"].read()["number"] == 30)
        #expect(try !database["person-0"].exists)
        #expect(try !database["longer"].exists)
        #expect(try database["conflict"].conflictingRevisions().count == 3)
        #expect(try database.check().map(\.description) == [])
    }

    @Test(arguments: Corpus.names, Storage.everyPersistent)
    func canBeConverted(_ name: String, to type: StorageType) throws {
        let corpus = try Corpus(name)
        let database = try corpus.open()
        defer { try? database.close() }
        guard database.storageType != type else { return }
        let isEncrypted = try corpus.key() != nil
        try database.convert(to: type, key: isEncrypted ? nil : Storage.key(type), decrypt: isEncrypted)
        #expect(database.storageType == type)
        #expect(try ExportText(database).content == Corpus.content())
        #expect(try database.check().map(\.description) == [])
    }

    @Test func theListIsWhole() throws {
        let entries = try FileManager.default.contentsOfDirectory(atPath: Corpus.home().path)
        #expect(Set(entries) == Set(Corpus.names.map { $0 + ".settee" } + ["export.jsonl"]))
    }
}
