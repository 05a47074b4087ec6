internal import StorageProtocol

/// Companions, one of each type.
final class CompanionShelf: Sendable {
    private let companions = Locked<[ObjectIdentifier: any DatabaseCompanion]>([:])

    var all: [any DatabaseCompanion] { companions.withLock { Array($0.values) } }

    /// Returns the companion of a type, and makes it if there is none.
    func companion<Companion: DatabaseCompanion>(_ type: Companion.Type, of database: Database) -> Companion {
        companions.withLock { companions in
            if let known = companions[ObjectIdentifier(type)] as? Companion { return known }
            let fresh = Companion(of: database)
            companions[ObjectIdentifier(type)] = fresh
            return fresh
        }
    }
}
