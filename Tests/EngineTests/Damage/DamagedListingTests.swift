import Foundation
import Settee
import SetteeTestSupport
import Testing

/// Real files whose documents are out of order.
@Suite struct DamagedListingTests {
    private static let count = 600
    private struct NoEnd: Error {}

    private func id(_ number: Int) -> String { "doc-" + String(100_000 + number) }

    /// Each place in the files that holds an ID gets a different one, one after the other, and everything is listed.
    /// Of those whose files have no checksums.
    @Test(arguments: [StorageType.sqlite, .lmdb]) func listingsEndAndRepeatNothing(_ type: StorageType) throws {
        let bed = try TestDatabase(type)
        try bed.database.inTransaction {
            for number in 0..<Self.count { try bed.database[id(number)].put(["n": .int(Int64(number))]) }
        }
        let definition = ViewDefinition(keys: [try JSONPointer("/_id")])
        try bed.view().define(definition)
        try bed.view().updateIndex()
        try bed.database.close()
        let path = bed.folder.url.appending(path: "test.settee").path
        var patched = 0
        var failed = 0
        for file in try dataFiles(path) {
            let whole = try Data(contentsOf: URL(filePath: file))
            for (from, to) in [(400, 1), (10, 599), (300, 2)] {
                var start = whole.startIndex
                while let place = whole.range(of: Data(id(from).utf8), in: start..<whole.endIndex) {
                    start = place.upperBound
                    var bytes = whole
                    bytes.replaceSubrange(place, with: Data(id(to).utf8))
                    try bytes.write(to: URL(filePath: file))
                    patched += 1
                    if try !listAll(path, type) { failed += 1 }
                }
            }
            try whole.write(to: URL(filePath: file))
        }
        #expect(patched > 0)
        #expect(failed > 0, "No damage was found.")
        #expect(try listAll(path, type))
    }

    private func dataFiles(_ path: String) throws -> [String] {
        var files: [String] = []
        let names = FileManager.default.enumerator(atPath: path)
        while let name = names?.nextObject() as? String {
            if name.contains("data-"), name.hasSuffix(".sqlite3") || name.hasSuffix(".mdb") {
                files.append(path + "/" + name)
            }
        }
        return files
    }

    /// - Returns: false if damage was found.
    private func listAll(_ path: String, _ type: StorageType) throws -> Bool {
        var isWhole = true
        // A row of an index is positioned by its sort key, whatever it says about its key and document.
        func attempt(ofIndex: Bool = false, _ listing: (_ add: (String) throws -> Void) throws -> Void) throws {
            var keys: Set<String> = []
            var count = 0
            do {
                try listing { key in
                    count += 1
                    keys.insert(key)
                    if count > 2 * Self.count { throw NoEnd() }
                }
                #expect(ofIndex || keys.count == count, "A row came twice.")
                #expect(count <= Self.count)
            } catch let error as StorageError {
                #expect(error.code == .corrupt)
                isWhole = false
            }
        }
        let database: Database
        do throws(StorageError) {
            database = try Database.open(
                at: URL(filePath: path),
                options: TestDatabase.options,
                engines: [Storage.factory(type)]
            )
        } catch {
            #expect(error.code == .corrupt)
            return false
        }
        for descending in [false, true] {
            try attempt { add in
                try database.allDocuments(DocumentQuery(descending: descending)).forEach {
                    try add($0.documentID.string)
                }
            }
            try attempt { add in
                try database.changes(since: 0, descending: descending).forEach { try add("\($0.sequence)") }
            }
            try attempt(ofIndex: true) { add in
                try database.view("view").query(descending: descending).forEach { try add($0.key.description) }
            }
            try attempt(ofIndex: true) { add in
                let query = database.view("view").query(descending: descending, groupLevel: 1)
                try query.forEach { try add($0.key.description) }
            }
            try attempt { add in
                var query = database.allDocumentsQuery()
                query.descending = descending
                try query.forEach { try add($0.key.description) }
            }
        }
        _ = try database.check()
        try database.close()
        return isWhole
    }
}
