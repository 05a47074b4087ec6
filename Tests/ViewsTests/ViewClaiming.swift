import Settee
import SetteeTestSupport

@testable import SetteeEngine
@testable import SetteeViews

/// What another program does that has a map function of another version: here it knows nothing of it.
func claim(_ version: String, _ database: Database, definition: ViewDefinition? = nil) throws {
    let function = ViewFunction(
        version: ViewVersion(closure: version, documentType: nil, collation: .unicode),
        documentType: nil,
        collation: .unicode,
        map: .closure { _, _ in },
        reduce: nil
    )
    try database.change { (session) throws(StorageError) in
        try ViewClaim.store(
            definition?.function() ?? function,
            for: ViewName("view"),
            definition: definition.map { Array($0.json.description.utf8) },
            in: session
        )
    }
}
