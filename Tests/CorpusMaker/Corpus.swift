internal import Foundation
internal import Settee

/// Something of everything that a database may hold.
enum Corpus {
    static func fill(_ database: Database) throws {
        try documents(database)
        try revisions(database)
        try attachments(database)
        try database["_local/checkpoint"].put(["sequence": 7])
        try database["_local/é"].put(json: "{}")
        _ = try database["_local/é"].update { $0["again"] = true }
        try database.info.set("value", for: "key")
        try database["person-3"].setExpiration(Date(timeIntervalSince1970: 4_000_000_000))
        try views(database)
    }

    /// What the last process did, behind the indexes.
    static func change(_ database: Database) throws {
        try database["late"].put(["age": 99, "city": "Oslo", "name": "Late"])
        _ = try database["text"].update { $0["late"] = true }
    }

    private static func documents(_ database: Database) throws {
        try database.inTransaction {
            // Enough for a dictionary of the compressed store.
            for number in 0..<200 {
                try database["person-\(number)"].put([
                    "age": JSONValue(18 + number * 7 % 60), "city": .string(["Bergen", "Århus", "Oslo"][number % 3]),
                    "name": .string("Person number \(number)"), "tags": ["a", .string("t\(number % 5)")],
                ])
            }
        }
        try database["numbers"].put(
            json: #"{"n":[0,-0.5,1e-7,1e+21,18446744073709551615,-9223372036854775808,5e-324]}"#
        )
        try database["text"].put(json: #"{"":{"":[]},"escaped":"\u0001 \" \\ \ud83d\ude00 \u2028","ﬀ":null}"#)
        try database["é"].put(json: #"{"composed":true}"#)
        try database["e\u{301}"].put(json: #"{"composed":false}"#)
        // Longer than a page, and longer than many.
        try database["long"].put(["text": .string(String(repeating: "0123456789", count: 700))])
        try database["longer"].put(["text": .string(String(repeating: "abc ", count: 20_000))])
        // Longer than LMDB's keys, and alike for long.
        for suffix in ["", "a", "b"] {
            try database[String(repeating: "key", count: 400) + suffix].put(["suffix": .string(suffix)])
        }
    }

    private static func revisions(_ database: Database) throws {
        for number in 0..<30 { _ = try database["updated"].update { $0["number"] = JSONValue(number) } }
        for number in 10..<20 { try database["person-\(number)"].delete() }
        try database["person-20"].purge()
        let saved = try database["gone"].put(json: #"{"a":1}"#)
        try database["gone"].put(json: #"{"_deleted":true,"why":"tidying"}"#, parent: saved.id)
        try insert(database, "conflict", ["2-b", "1-a"], #"{"b":1}"#)
        try insert(database, "conflict", ["2-c", "1-a"], #"{"c":1}"#)
        try insert(database, "conflict", ["3-d", "2-c"], "{}", isDeleted: true)
        try insert(database, "conflict", ["4-x.é", "3-y", "2-Z"], #"{"x":1}"#)
        try insert(database, "conflict", ["2-\(String(repeating: "0f", count: 16))", "1-a"], #"{"digest":true}"#)
        try insert(database, "foreign", ["4611686018427387904-" + String(repeating: "ü", count: 117)], "{}")
        try insert(database, "_design/d", ["1-a"], #"{"views":{}}"#)
    }

    private static func insert(
        _ database: Database,
        _ id: String,
        _ history: [String],
        _ json: String,
        isDeleted: Bool = false
    ) throws {
        let history = try history.map { try RevisionID($0) }
        try database[id].forceInsert(json: Array(json.utf8), history: history, isDeleted: isDeleted)
    }

    /// Empty, small, more than one chunk of an encrypted content, shared, replaced and encoded.
    private static func attachments(_ database: Database) throws {
        let pattern = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
        for (id, count) in [("person-30", 0), ("person-31", 10), ("person-32", 70_000), ("person-33", 70_000)] {
            try database[id].setAttachment(
                named: "file",
                contentType: "image/png",
                content: Array(pattern.prefix(count))
            )
        }
        try database["person-33"].setAttachment(named: "second", content: Array("replaced".utf8))
        try database["person-33"].setAttachment(named: "second", content: Array("its content".utf8))
        try database["person-34"].setAttachment(named: "removed", content: Array("nobody's".utf8))
        try database["person-34"].removeAttachment(named: "removed")
        try database["encoded"].put(
            json:
                #"{"_attachments":{"z":{"data":"H4sIAAAAAAACA8tIzcnJV8hAJwHjUT2NFwAAAA==","encoding":"gzip","length":23}}}"#
        )
    }

    private static func views(_ database: Database) throws {
        let definitions = [
            "ages": ViewDefinition(
                keys: [try JSONPointer("/age")],
                value: try JSONPointer("/age"),
                reduce: "_stats"
            ),
            "cities": ViewDefinition(
                keys: [try JSONPointer("/city"), try JSONPointer("/age")],
                value: try JSONPointer("/name"),
                reduce: "_count"
            ),
            "raw": ViewDefinition(keys: [try JSONPointer("/name")], value: try JSONPointer(""), collation: .raw),
        ]
        for (name, definition) in definitions.sorted(by: { $0.key < $1.key }) {
            let view = database.view(name)
            try view.define(definition)
            try view.updateIndex()
            // With the reductions that a query stores.
            var query = view.query()
            query.groupLevel = 1
            if definition.reduce != nil { _ = try query.run() }
        }
    }
}
