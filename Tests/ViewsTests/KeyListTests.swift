import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeEngine
@testable import SetteeViews

/// Queries by a list of IDs look up many of them at a time, in an order that suits the store; rows are returned as if
/// looked up one by one.
@Suite struct KeyListTests {
    @Test(arguments: Storage.all) func rowsComeInTheOrderOfTheQuery(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            var live: [String: Int] = [:]
            for number in 0..<700 {
                let id = "d\(number * 7919 % 700)"
                let first = try database[id].put(["n": JSONValue(number)])
                if number % 5 == 0 {
                    try database[id].delete(parent: first.id)
                } else {
                    live[id] = number
                }
                if number % 13 == 0 {
                    let foreign = try RevisionID("1-x")
                    _ = try database.forceInsert(
                        DocumentID(id),
                        history: [foreign],
                        json: bytes("{}"),
                        isDeleted: false
                    )
                    live[id] = try #require(try database[id].revision()).json == bytes("{}") ? -1 : number
                }
            }
            let asked = (0..<900).filter { $0 % 3 != 1 }.map { "d\(($0 * 31) % 900)" } + ["d1", "d1", "nothing", ""]
            let all = Set(asked).filter { live[$0] != nil }.map { DocumentID(unchecked: $0) }.sorted().map(\.string)
            for descending in [false, true] {
                for (skip, limit) in [(0, nil), (0, 1), (3, 10), (255, 3), (256, 300), (300, nil), (5_000, 5)] {
                    let ordered = Array(descending ? all.reversed() : all)
                    let wanted = Array(ordered.dropFirst(skip).prefix(limit ?? .max))
                    let rows = try database.allDocuments(
                        .init(keys: asked, limit: limit, skip: skip, descending: descending, includeBodies: true)
                    ).rows()
                    #expect(rows.map(\.documentID.string) == wanted)
                    var query = database.allDocumentsQuery(keys: asked, descending: descending, limit: limit)
                    query.skip = skip
                    query.includeDocs = true
                    let found = try query.run()
                    #expect(found.map { $0.documentID?.string } == wanted)
                    for row in found {
                        let id = try #require(row.documentID?.string)
                        let number = try #require(live[id])
                        let json = number >= 0 ? #"{"n":\#(number)}"# : "{}"
                        #expect(row.documentRevision?.json == bytes(json), "\(id)")
                        #expect(row.key.stringValue == id)
                        let current = try #require(try database[id].revision())
                        #expect(row.value?["rev"]?.stringValue == current.id.string)
                    }
                }
            }
        }
    }
}
