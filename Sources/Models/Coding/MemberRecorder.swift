/// Records which members of an object a type requests while it is decoded.
final class MemberRecorder {
    var isOpen = false
    private var asked: [MemberName: MemberRecorder?] = [:]

    func note(_ name: String) {
        let name = MemberName(name)
        if asked[name] == nil { asked[name] = .some(nil) }
    }

    /// Returns the recorder of the object in the member `name`.
    func inner(_ name: String) -> MemberRecorder {
        let name = MemberName(name)
        if let known = asked[name] ?? nil { return known }
        let fresh = MemberRecorder()
        asked[name] = fresh
        return fresh
    }

    var declared: DeclaredMembers {
        var declared = DeclaredMembers()
        declared.isOpen = isOpen
        for (name, inner) in asked {
            // If no member of it was requested, it is not an object, or was decoded as a scalar.
            let looked = inner.flatMap { $0.isOpen || !$0.asked.isEmpty ? $0.declared : nil }
            declared.declare(name.string, looked)
        }
        return declared
    }
}
