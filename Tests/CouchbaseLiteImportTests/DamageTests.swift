import Foundation
import Settee
import SetteeProgramSupport
import StorageConformance
import Testing

/// Damaged files: what can be read is imported, the rest is reported, and nothing traps.
@Suite struct DamageTests {
    let folder: Folder
    let source: Folder

    init() throws {
        folder = try Folder()
        source = try Folder()
    }

    private static let documents = 150

    /// The bytes of a database with some pages of everything.
    private func base(_ release: OldRelease) throws -> [UInt8] {
        let old = try OldFiles(source, release, name: "base")
        try old.sql("BEGIN")
        var sequence: Int64 = 0
        for number in 1...DamageTests.documents {
            try old.document(number, "document \(number)")
            for generation in 1...3 {
                sequence += 1
                let text = String(repeating: "t", count: 150 + number % 40)
                try old.revision(
                    sequence,
                    of: number,
                    "\(generation)-\(number)",
                    parent: generation == 1 ? nil : sequence - 1,
                    current: generation == 3,
                    generation == 1 ? nil : #"{"n":\#(number),"text":"\#(text)"}"#
                )
            }
        }
        for number in 0..<20 { try old.local("_local/\(number)", "1-local", "{}") }
        try old.sql("COMMIT")
        try old.finish()
        return Array(try Data(contentsOf: URL(filePath: old.file)))
    }

    private func damaged(_ whole: [UInt8], _ random: inout SeededGenerator, pageSize: Int) -> [UInt8] {
        var bytes = whole
        let pages = bytes.count / pageSize
        func page() -> Int { Int.random(in: 1..<pages, using: &random) * pageSize }
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                bytes[Int.random(in: 100..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
        case 1:
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let start = page()
                for index in start..<start + pageSize { bytes[index] = UInt8.random(in: 0...255, using: &random) }
            }
        case 2: bytes.removeLast(Int.random(in: 1..<bytes.count - 512, using: &random))
        case 3:
            // Lengths, counts and page numbers are at the beginning of pages.
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                bytes[page() + Int.random(in: 0..<40, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
        case 4:
            let (from, to) = (page(), page())
            bytes.replaceSubrange(to..<to + pageSize, with: whole[from..<from + pageSize])
        default:
            for index in 0..<Int.random(in: 1...100, using: &random) {
                bytes[index] = UInt8.random(in: 0...255, using: &random)
            }
        }
        return bytes
    }

    @Test(
        "Whatever is damaged, what is imported is sound and the rest is reported",
        arguments: [
            OldRelease.iOS130, .net140, .android110,
        ]
    )
    func anywhere(_ release: OldRelease) throws {
        let whole = try base(release)
        let rounds = ProcessInfo.processInfo.environment["SETTEE_STRESS"] == nil ? 12 : 2000
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        for round in 0..<rounds {
            let bytes = damaged(whole, &random, pageSize: release.pageSize)
            let url = source.url("damaged.cblite")
            try Data(bytes).write(to: url)
            let target = folder.url("new")
            let hint = "seed \(seed), round \(round)"
            do {
                let report = try CouchbaseLiteImport(of: url).run(to: target)
                let database = try Database.open(at: target, options: DatabaseOptions(create: false))
                #expect(try database.check().map(\.description) == [], "\(hint)")
                // Damage may turn a document into a tombstone.
                #expect(try database.statistics().documentCount <= UInt64(report.documents), "\(hint)")
                // Nothing is lost without a report.
                if report.isComplete { #expect(report.documents == DamageTests.documents, "\(hint)") }
                try database.close()
            } catch {
                #expect([.corrupt, .unsupportedFormat, .unauthorized].contains(error.code), "\(hint): \(error)")
            }
            #expect(try Data(contentsOf: url) == Data(bytes), "\(hint)")
            #expect(try folder.leftovers == [], "\(hint)")
            try? FileManager.default.removeItem(at: target)
        }
    }

    /// A scan of such a table ends early and without an error, in both directions.
    @Test("Rows that are out of order hide no others", arguments: [OldRelease.iOS130, .net140, .android110])
    func disorder(_ release: OldRelease) throws {
        var bytes = try base(release)
        let pages = stride(from: release.pageSize, to: bytes.count, by: release.pageSize)
        // Page types: table leaves, and index leaves, which then cannot confirm anything.
        let leaves = pages.filter { bytes[$0] == 0x0D && bytes[$0 + 4] > 4 }
        for page in pages where bytes[page] == 0x0A { bytes[page] = 0xFF }
        let page = leaves[leaves.count / 2]
        let count = Int(bytes[page + 4])
        let cells = (0..<count).map { Array(bytes[page + 8 + 2 * $0..<page + 10 + 2 * $0]) }
        bytes.replaceSubrange(page + 8..<page + 8 + 2 * count, with: cells.reversed().joined())
        let url = source.url("damaged.cblite")
        try Data(bytes).write(to: url)
        let (database, report) = try imported(url, in: folder)
        #expect(!report.isComplete)
        #expect(report.documents > DamageTests.documents - 40)
        #expect(try database.check().map(\.description) == [])
    }

    @Test("A page of zeros loses the documents on it and no others")
    func onePage() throws {
        var bytes = try base(.iOS130)
        // The pages of the last documents.
        let page = bytes.count / 4096 - 3
        for index in page * 4096..<(page + 1) * 4096 { bytes[index] = 0 }
        let url = source.url("damaged.cblite")
        try Data(bytes).write(to: url)
        let (database, report) = try imported(url, in: folder)
        #expect(!report.isComplete)
        #expect(report.documents > DamageTests.documents - 20)
        #expect(report.documents + report.failed >= DamageTests.documents - 20)
        for number in 1...50 { #expect(try database["document \(number)"].currentRevision != nil) }
        try database.close()
    }

    @Test("A table whose definition is damaged is reported as missing", arguments: ["localdocs", "info", "views"])
    func definitions(_ table: String) throws {
        let whole = try base(.net140)
        let name = Array("CREATE TABLE \(table)".utf8)
        let place = try #require(Data(whole).range(of: Data(name))).lowerBound
        var bytes = whole
        // The first letter of CREATE.
        bytes[place] = 0x20
        let url = source.url("damaged.cblite")
        try Data(bytes).write(to: url)
        let (database, report) = try imported(url, in: folder)
        #expect(report.documents == DamageTests.documents)
        #expect(report.problems.contains { $0.reason.contains("'\(table)'") })
        try database.close()
    }

    @Test("A damaged header is repaired in the copy", arguments: [0..<16, 18..<20, 21..<24, 44..<48, 56..<60])
    func header(_ range: Range<Int>) throws {
        var bytes = try base(.net140)
        for index in range { bytes[index] = 0xAA }
        let url = source.url("damaged.cblite")
        try Data(bytes).write(to: url)
        let (database, report) = try imported(url, in: folder)
        #expect(report.documents == DamageTests.documents)
        #expect(report.problems.count == 1)
        try database.close()
    }

    @Test("No database is made if nothing can be read")
    func nothing() throws {
        let whole = try base(.iOS130)
        for bytes in [Array(whole.prefix(4096)), Array(whole.prefix(100)), [], [UInt8](repeating: 65, count: 5000)] {
            let url = source.url("damaged.cblite")
            try Data(bytes).write(to: url)
            let error = #expect(throws: StorageError.self) {
                _ = try CouchbaseLiteImport(of: url).run(to: folder.url("new"))
            }
            #expect([.corrupt, .unsupportedFormat, .unauthorized].contains(error?.code))
            #expect(try folder.entries() == [])
        }
    }
}
