import Settee
import SetteeTestSupport

@testable import SetteeEngine
@testable import SetteeViews

/// Simulates another program with a map function of another version: this program knows nothing of it.
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
