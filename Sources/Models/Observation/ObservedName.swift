internal import SetteeDocumentValues
internal import StorageProtocol

/// A property's name as observers know it: by a key path, which is made once for each name.
final class ObservedName: Sendable {
    let name: String
    let keyPath: any KeyPath<Model, JSONValue?> & Sendable

    private init(_ name: String) {
        self.name = name
        keyPath = \Model.[name]
    }

    private static let known = Locked<[MemberName: ObservedName]>([:])
    /// Names may be data of documents, so that they are not kept without end.
    private static let limit = 4096

    /// The one of a name, for somebody who reads the property.
    static func read(_ name: String) -> ObservedName {
        known.withLock { known in
            if let found = known[MemberName(name)] { return found }
            let fresh = ObservedName(name)
            if known.count < limit { known[MemberName(name)] = fresh }
            return fresh
        }
    }

    /// Those of names whose properties changed, without the ones that nobody has ever read by name.
    static func changed(_ names: [String]) -> [ObservedName] {
        known.withLock { known in
            names.compactMap { name in known[MemberName(name)] ?? (known.count < limit ? nil : ObservedName(name)) }
        }
    }
}
