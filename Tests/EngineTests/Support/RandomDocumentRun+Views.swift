import Settee
import SetteeTestSupport
import Testing

@testable import SetteeEngine
@testable import SetteeViews

/// Views of the run's documents: one with a map function, and one with a definition in the database.
extension RandomDocumentRun {
    private static let functionName = "function"
    private static let definitionName = "definition"

    /// Sets both views to the present version.
    func setViews() throws {
        let version = viewVersion
        try database.view(Self.functionName).setMap(
            version: "\(version)",
            collation: version.isMultiple(of: 2) ? .unicode : .raw
        ) { document, emit in
            let source = Self.rows(version, conflicts: document.conflicts.count) { document[$0] }
            for (key, value) in source { emit(key, value) }
        }
        var definition = ViewDefinition(keys: [try JSONPointer("/u"), try JSONPointer("/n")])
        definition.value = try JSONPointer("/s")
        definition.conditions = try ViewDefinition.conditions(parsing: "/n > \(version)")
        try database.view(Self.definitionName).define(definition)
    }

    /// The info value that the definition is stored as.
    var definition: (key: String, value: String) {
        (
            "view/\(Self.definitionName)",
            #"{"collation":"unicode","keys":["/u","/n"],"value":"/s","where":[["/n",">",\#(viewVersion)]]}"#
        )
    }

    /// A row that depends on the body, and one that depends on the tree.
    private static func rows(
        _ version: Int,
        conflicts: Int,
        _ member: (String) -> JSONValue?
    ) -> [(JSONValue, JSONValue?)] {
        var rows: [(JSONValue, JSONValue?)] = [(["tree", JSONValue(conflicts)], member("_rev"))]
        if let number = member("n") { rows.append((number, [JSONValue(version), member("u") ?? .null])) }
        if let text = member("s") { rows.append((text, nil)) }
        return rows
    }

    private var views: [(name: String, view: NaiveView)] {
        let version = viewVersion
        let function = NaiveView(isRaw: !version.isMultiple(of: 2), isReduced: false) { source in
            Self.rows(version, conflicts: source.conflicts) { source.body[$0] }
        }
        let definition = NaiveView(isRaw: false, isReduced: false) { source in
            guard let number = source.body["n"]?.intValue, number > version else { return [] }
            return [([source.body["u"] ?? .null, JSONValue(number)], source.body["s"])]
        }
        return [(Self.functionName, function), (Self.definitionName, definition)]
    }

    /// The live documents, as the model has them.
    private var sources: [NaiveView.Source] {
        ids.compactMap { id in
            let live = model.liveLeaves(id)
            guard let winner = live.first, var body = model.node(id, winner)?.body?.properties else { return nil }
            body["_rev"] = .string(winner)
            return NaiveView.Source(id: id.string, body: .object(body), conflicts: live.count - 1)
        }
    }

    // MARK: - Steps

    mutating func changeViews() throws {
        let name = random(2) == 0 ? Self.functionName : Self.definitionName
        switch random(6) {
        case 0:
            viewVersion += 1
            note("views of version \(viewVersion)")
            try setViews()
        case 1:
            note("delete the index of \(name)")
            try database.view(name).deleteIndex()
        case 2:
            note("update the indexes")
            try database.updateIndexes(of: views.map(\.name))
        default:
            note("update the index of \(name)")
            try database.view(name).updateIndex()
        }
    }

    // MARK: - Comparing

    /// All rows, and those of a range, compared with what is emitted for all documents of the model.
    mutating func compareViews() throws {
        for (name, view) in views {
            let bound = JSONValue(random(counter + 1))
            var range = database.view(name).query(startKey: name == Self.functionName ? bound : [bound])
            range.descending = random(2) == 0
            for query in [database.view(name).query(), range] {
                let found =
                    random(3) == 0
                    ? try database.read { _ in try query.run().map(\.line) } : try query.run().map(\.line)
                try requireSame(found, view.lines(query, sources), "rows of \(name)")
                found.forEach { read($0) }
            }
        }
    }

    /// The definition was imported into another database with everything else.
    func compareDefinition(_ other: Database) throws {
        for (name, view) in views where name == Self.definitionName {
            let query = other.view(name).query()
            try requireSame(try query.run().map(\.line), view.lines(query, sources), "rows of the import")
        }
    }

    /// Every index is as if it had been built from scratch, whatever else there is.
    func check() throws { try requireSame(try database.check().map(\.description), [], "check") }
}
