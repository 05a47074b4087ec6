internal import SetteeDocumentValues
internal import StorageProtocol

/// Which members of an object its type declares, and those of the objects within: what a type does not declare is kept
/// when its value is saved.
struct DeclaredMembers: Sendable {
    /// The type asked for whatever there is, as a dictionary does: nothing is kept.
    var isOpen = false
    private(set) var names: [MemberName: DeclaredMembers?] = [:]

    init() {}

    mutating func declare(_ name: String, _ inner: DeclaredMembers? = nil) {
        let name = MemberName(name)
        guard let known = names[name] else {
            names[name] = .some(inner)
            return
        }
        names[name] = .some(DeclaredMembers.union(known, inner))
    }

    func declares(_ name: String) -> Bool { isOpen || names[MemberName(name)] != nil }

    /// Whether the type asked for a member by its name.
    func names(_ name: String) -> Bool { names[MemberName(name)] != nil }

    func inner(_ name: String) -> DeclaredMembers? { names[MemberName(name)] ?? nil }

    static func union(_ a: DeclaredMembers?, _ b: DeclaredMembers?) -> DeclaredMembers? {
        guard var united = a, let b else { return a ?? b }
        united.isOpen = united.isOpen || b.isOpen
        for (name, inner) in b.names { united.declare(name.string, inner) }
        return united
    }

    /// `new` with what `old` has beyond the declared members; the same within objects that stand in both.
    static func merge(_ new: JSONValue, over old: JSONValue?, _ declared: DeclaredMembers?) -> JSONValue {
        guard let declared, !declared.isOpen, case .object(let newMembers) = new, case .object(let oldMembers)? = old
        else { return new }
        var members: [(String, JSONValue)] = []
        members.reserveCapacity(newMembers.count + oldMembers.count)
        for (name, value) in oldMembers where newMembers[name] == nil && !declared.declares(name) {
            members.append((name, value))
        }
        for (name, value) in newMembers {
            members.append((name, merge(value, over: oldMembers[name], declared.inner(name))))
        }
        return .object(JSONObject(members))
    }
}
