import Settee
import SetteeTestSupport
import Testing

/// Functions that decide what is passed on.
@Suite struct FilterTests {
    @Test func filtersHaveNamesAndVersions() throws {
        try withDatabase(.memory) { (bed) throws in
            let database = bed.database
            database.setFilter("byOwner", version: "1") { revision, parameters in
                try revision.properties["owner"] == parameters["name"]
            }
            // Names are told apart by their bytes.
            database.setFilter("\u{E9}", version: "1") { _, _ in true }
            database.setFilter("e\u{301}", version: "2") { revision, _ in revision.isDeleted }
            #expect(database.filterNames == ["byOwner", "e\u{301}", "\u{E9}"])
            #expect(database.filterNames.map(\.utf8.count) == [7, 3, 2])
            let ida = try database["a"].put(["owner": "Ida"])
            let filter = try #require(database.filter(named: "byOwner"))
            #expect(filter.name == "byOwner" && filter.version == "1")
            #expect(try filter.function(ida, ["name": "Ida"]))
            #expect(try !filter.function(ida, ["name": "Waldo"]))
            #expect(try database.filter(named: "e\u{301}")?.function(ida, [:]) == false)
            database.setFilter("byOwner", version: "2") { _, _ in false }
            #expect(database.filter(named: "byOwner")?.version == "2")
            database.setFilter("byOwner", version: "3", nil)
            #expect(database.filter(named: "byOwner") == nil)
            #expect(database.filterNames.count == 2)
        }
    }
}
