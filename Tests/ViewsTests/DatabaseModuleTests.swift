import Foundation
import Settee
import SetteeTestSupport
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeEngine
@testable import SetteeIndexes
@testable import SetteeViews

/// Whether views take part in a database's work is an argument of its opening. It used to be a setting of the process:
/// one database with views changed what `check` and conversions of all others did.
@Suite struct DatabaseModuleTests {
    private let folder = try? TemporaryFolder()
    private var url: URL { get throws { try #require(folder).url.appending(path: "test.settee") } }

    /// A closed database whose index lacks a row.
    private func damaged() throws {
        let database = try Database.open(at: url)
        try database["a"].put(["n": 1])
        try database.view("v").define(ViewDefinition(keys: [try JSONPointer("/n")]))
        try database.view("v").updateIndex()
        var none = EmittedRows(.unicode)
        try none.begin(DocumentID("a"), 1)
        let batch = none.batch
        try database.change { (session) throws(StorageError) in
            session.noteChange()
            for index in try session.transaction.indexNames() {
                var changes = RowChanges(recordsPositions: false)
                try session.transaction.replaceIndexRows(index, by: [batch], areNew: false, changes: &changes)
            }
        }
        #expect(try !database.check().isEmpty)
        try database.close()
    }

    private func withoutModules() throws -> Database { try Database.open(at: url, engines: BuiltInEngines.all) }

    @Test("Only a database that was opened with views checks its indexes") func check() throws {
        try damaged()
        let database = try withoutModules()
        #expect(try database.check().isEmpty)
        #expect(try database.conversionPlan(to: .lmdb).indexesToBuild == 1)
        try database.close()
        let other = try Database.open(at: url)
        #expect(try !other.check().isEmpty)
        #expect(try other.conversionPlan(to: .lmdb).indexesToBuild == 0)
        try other.close()
        let again = try withoutModules()
        #expect(try again.check().isEmpty, "What another opening had is over.")
        try again.close()
    }

    @Test("A later opening with views, or the use of a view, enables them") func joinLater() throws {
        try damaged()
        let first = try withoutModules()
        #expect(try first.check().isEmpty)
        #expect(try Database.open(at: url) === first)
        #expect(try !first.check().isEmpty)
        try first.close()
        let second = try withoutModules()
        #expect(try second.check().isEmpty)
        #expect(try second.viewNames() == ["v"])
        #expect(try !second.check().isEmpty)
        try second.close()
    }
}
