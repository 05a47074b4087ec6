import Settee
import SetteeIndexes
import SetteeTestSupport

@testable import SetteeEngine
@testable import SetteeViews

/// Simulates another program with a map function of another version: this program knows nothing of it.
func claim(_ version: String, _ database: Database, definition: ViewDefinition? = nil) throws {
    let function = ViewFunction(
        version: IndexVersion(closure: version, documentType: nil, collation: .unicode),
        documentType: nil,
        collation: .unicode,
        map: .closure { _, _ in },
        reduce: nil
    )
    try database.change { (session) throws(StorageError) in
        let name = try IndexName(view: "view")
        try IndexClaim.store(definition?.function() ?? function, for: name, in: session)
        try session.transaction.setInfo(
            definition.map { Array($0.json.description.utf8) },
            for: ViewDefinition.infoKey(name)
        )
    }
}
