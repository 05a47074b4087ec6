internal import SetteeDocumentValues
internal import StorageProtocol

/// A property's name as observers see it: as a key path, which is made once for each name.
final class ObservedName: Sendable {
    let name: String
    let keyPath: any KeyPath<Model, JSONValue?> & Sendable

    private init(_ name: String) {
        self.name = name
        keyPath = \Model.[name]
    }

    private static let known = Locked<[MemberName: ObservedName]>([:])
    /// Names may come from the data of documents, so only a limited number is kept.
    private static let limit = 4096

    /// Returns the observed name of a property that is being read.
    static func read(_ name: String) -> ObservedName {
        known.withLock { known in
            if let found = known[MemberName(name)] { return found }
            let fresh = ObservedName(name)
            if known.count < limit { known[MemberName(name)] = fresh }
            return fresh
        }
    }

    /// Returns the observed names of changed properties, without those that were never read by name.
    static func changed(_ names: [String]) -> [ObservedName] {
        known.withLock { known in
            names.compactMap { name in known[MemberName(name)] ?? (known.count < limit ? nil : ObservedName(name)) }
        }
    }
}
