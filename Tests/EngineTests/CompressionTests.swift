import Foundation
import Settee
import SetteeTestSupport
import Testing

/// The compression that is requested when a database is opened.
@Suite struct CompressionTests {
    private func code(_ body: () throws -> Void) -> StorageError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? StorageError)?.code
        }
    }

    @Test(arguments: [StorageType.sqlite, .memory])
    func aTypeThatCannotSaysSo(_ type: StorageType) throws {
        let folder = try TemporaryFolder()
        let manager = try Manager(directory: folder.url)
        let compressed = DatabaseOptions(storageType: type, durability: .normal, compression: .lz4)
        #expect(code { _ = try manager.database(named: "new", options: compressed) } == .notImplemented)
        #expect(try manager.allDatabaseNames.isEmpty, "nothing was made")
        let plain = DatabaseOptions(storageType: type, durability: .normal, compression: .uncompressed)
        let database = try manager.database(named: "old", options: plain)
        #expect(database.compression == .uncompressed)
        #expect(try database.statistics().compression == .uncompressed)
        #expect(code { _ = try manager.database(named: "old", options: compressed) } == .notImplemented, "it is open")
        try manager.close()
        #expect(code { _ = try manager.database(named: "old", options: compressed) } == .notImplemented)
    }

    @Test func aDatabaseKeepsTheCompressionThatItWasMadeWith() throws {
        let folder = try TemporaryFolder()
        let manager = try Manager(directory: folder.url)
        func options(_ compression: Compression?) -> DatabaseOptions {
            DatabaseOptions(storageType: .lmdb, durability: .normal, compression: compression)
        }
        for (name, made, other) in [("a", Compression.lz4, Compression.uncompressed), ("b", .uncompressed, .lz4)] {
            let database = try manager.database(named: name, options: options(made))
            try database.inTransaction {
                for number in 0..<300 {
                    try database["\(number)"].put(["name": "Person", "text": "always the same text, which is long"])
                }
            }
            #expect(
                code { _ = try manager.database(named: name, options: options(other)) } == .badParameter,
                "it is open"
            )
            try database.close()
            #expect(code { _ = try manager.database(named: name, options: options(other)) } == .badParameter)
            for choice in [made, nil] {
                let again = try manager.database(named: name, options: options(choice))
                #expect(again.compression == made)
                #expect(try again["299"].properties?["text"] == "always the same text, which is long")
                try again.compact()
                #expect(again.compression == made)
                #expect(try again["0"].properties?["text"] == "always the same text, which is long")
                try again.close()
            }
        }
    }
}
