internal import SetteeDocumentValues
internal import StorageProtocol

/// The members of an object that its type declares, with those of nested objects. Members that a type does not declare
/// are kept when its value is saved.
struct DeclaredMembers: Sendable {
    /// The type reads all members, as a dictionary does: no undeclared members are kept.
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

    /// Returns whether the type named this member.
    func names(_ name: String) -> Bool { names[MemberName(name)] != nil }

    func inner(_ name: String) -> DeclaredMembers? { names[MemberName(name)] ?? nil }

    static func union(_ a: DeclaredMembers?, _ b: DeclaredMembers?) -> DeclaredMembers? {
        guard var united = a, let b else { return a ?? b }
        united.isOpen = united.isOpen || b.isOpen
        for (name, inner) in b.names { united.declare(name.string, inner) }
        return united
    }

    /// Returns `new` plus those members of `old` that are not declared; the same for objects that are in both.
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
