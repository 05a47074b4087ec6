import Foundation
import Settee
import SetteeTestSupport
import StorageConformance
import Testing

@testable import SetteeEngine
@testable import SetteeViews

/// Stores that return rows twice, as damaged files may. A listing that continued after the last row of a page came to
/// the same page again, and wrote 72 MB in five seconds from 300 documents.
@Suite struct DisorderedStoreTests {
    private static let count = 600

    /// More than a page of each kind.
    private func fill(_ bed: TestDatabase) throws {
        let database = bed.database
        try database.inTransaction {
            for number in 0..<Self.count {
                let document = database[id(number)]
                try document.put(["n": .int(Int64(number)), "g": .int(Int64(number / 2))])
                if number < 300 {
                    try document.update { $0["again"] = true }
                }
                try database["_local/\(id(number))"].put([:])
            }
            for number in 0..<300 { try database["gone\(number)"].put([:]) }
            for number in 0..<300 { try database["gone\(number)"].purge() }
            for number in 0..<3 {
                var revision = try database[id(number)].read().newRevision()
                try revision.setAttachment(named: "a", content: Array("content \(number)".utf8))
                _ = try revision.save()
            }
        }
        for (name, reduce) in [("plain", nil), ("summed", Reduce.sum)] {
            try database.view(name).setMap(version: "1", reduce: reduce) { document, emit in
                emit([document["g"], document["n"]], document["n"])
            }
            try database.view(name).updateIndex()
        }
        _ = try database.view("summed").query().run()
    }

    private func id(_ number: Int) -> String { "doc-" + String(100_000 + number) }

    private struct NoEnd: Error {}

    /// Counts rows, and gives up if there are too many.
    private final class Counter {
        private(set) var count = 0
        func add() throws {
            count += 1
            if count > 10 * DisorderedStoreTests.count { throw NoEnd() }
        }
    }

    private func listings(_ database: Database) -> [(name: String, run: () throws -> Void)] {
        func counted(_ listing: RowListing) throws {
            let counter = Counter()
            try listing.forEach { _ in try counter.add() }
        }
        func counted(_ query: DatabaseQuery) throws {
            let counter = Counter()
            try query.forEach { _ in try counter.add() }
            _ = try query.run()
        }
        var all: [(name: String, run: () throws -> Void)] = []
        for descending in [false, true] {
            let way = descending ? ", backwards" : ""
            let changes = database.changes(since: 0, descending: descending)
            let documents = DocumentQuery(descending: descending, includeDeleted: true)
            all += [
                ("documents\(way)", { try counted(database.allDocuments(documents)) }),
                ("changes\(way)", { try counted(changes) }),
                (
                    "documents of a snapshot\(way)",
                    { try database.read { _ in _ = try database.allDocuments(documents).rows() } }
                ),
                ("changes of a snapshot\(way)", { try database.read { _ in _ = try changes.rows() } }),
            ]
            for mode in AllDocumentsMode.allCases where mode != .onlyConflicts {
                let query = database.allDocumentsQuery(mode).with { $0.descending = descending }
                all.append(("query \(mode.rawValue)\(way)", { try counted(query) }))
            }
            for update in [UpdateMode.before, .never] {
                let plain = database.view("plain").query(descending: descending, update: update)
                let summed = database.view("summed").query(descending: descending, update: update)
                all += [
                    ("view, \(update)\(way)", { try counted(plain) }),
                    (
                        "prefix, \(update)\(way)",
                        {
                            try counted(
                                plain.with {
                                    $0.prefixMatchLevel = 1
                                    $0.startKey = []
                                    $0.endKey = []
                                }
                            )
                        }
                    ),
                    ("groups by key, \(update)\(way)", { try counted(summed.with { $0.group = true }) }),
                    ("groups by level, \(update)\(way)", { try counted(summed.with { $0.groupLevel = 1 }) }),
                ]
            }
        }
        return all
    }

    @Test(arguments: Storage.all, ListingDisorder.allCases)
    func pagesMoveForwardOrFail(_ type: StorageType, _ disorder: ListingDisorder) throws {
        let faults = FaultPlan()
        let bed = try TestDatabase(type, wrapping: FaultInjectingEngineFactory(Storage.factory(type), faults: faults))
        try fill(bed)
        for (name, run) in listings(bed.database) {
            faults.disarm()
            #expect(throws: Never.self, "\(name)") { try run() }
            faults.bring(into: disorder)
            expectError(.corrupt, "\(name)") { try run() }
        }
    }

    @Test(arguments: Storage.all, ListingDisorder.allCases)
    func whatGoesThroughAllComesToAnEnd(_ type: StorageType, _ disorder: ListingDisorder) throws {
        let faults = FaultPlan()
        let bed = try TestDatabase(type, wrapping: FaultInjectingEngineFactory(Storage.factory(type), faults: faults))
        try fill(bed)
        let database = bed.database
        faults.bring(into: disorder)
        let isTwice = disorder == .twice
        // What is read in one piece begins at the start in any case.
        let works: [(name: String, fails: Bool, run: () throws -> Void)] = [
            ("export", isTwice, { try database.exportAll { _ in } }),
            ("digest", isTwice, { _ = try database.contentDigest() }),
            ("live documents", isTwice, { try database.exportDocuments { _, _ in } }),
            ("scan", isTwice, { try database.read { try $0.forEachDocument { _ in true } } }),
            ("local documents", isTwice, { _ = try database.localDocuments() }),
            ("space", isTwice, { _ = try database.spaceReport() }),
            ("space of attachments", isTwice, { _ = try database.attachmentSpace() }),
            ("compaction", isTwice, { _ = try database.compact() }),
        ]
        for (name, fails, run) in works {
            if fails {
                expectError(.corrupt, "\(name)") { try run() }
            } else {
                #expect(throws: Never.self, "\(name)") { try run() }
            }
        }
        if isTwice { #expect(try !database.check().isEmpty) }
        // Index builds and updates.
        for isNew in [true, false] {
            faults.disarm()
            if isNew {
                try database.view("plain").deleteIndex()
            } else {
                try database.inTransaction {
                    for number in 0..<Self.count { try database[id(number)].update { $0["n"] = 1 } }
                }
            }
            faults.bring(into: disorder)
            if isTwice { expectError(.corrupt, "\(isNew)") { try database.view("plain").updateIndex() } }
        }
        faults.disarm()
        #expect(try database.check().map(\.description) == [], "Nothing was written.")
    }

    @Test(arguments: Storage.all) func whoeverFollowsIsToldOfTheGap(_ type: StorageType) async throws {
        let faults = FaultPlan()
        let bed = try TestDatabase(type, wrapping: FaultInjectingEngineFactory(Storage.factory(type), faults: faults))
        try fill(bed)
        faults.bring(into: .twice)
        for await change in bed.database.changes(following: 0) {
            guard case .missed(let since) = change else {
                Issue.record("A change was told twice, or out of order.")
                break
            }
            #expect(since == 0)
            break
        }
    }
}
