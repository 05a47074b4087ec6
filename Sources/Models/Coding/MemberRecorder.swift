/// Notes which members of an object a decoding type asks for.
final class MemberRecorder {
    var isOpen = false
    private var asked: [MemberName: MemberRecorder?] = [:]

    func note(_ name: String) {
        let name = MemberName(name)
        if asked[name] == nil { asked[name] = .some(nil) }
    }

    /// The recorder of the object that is the member `name`.
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
            // A member that nobody looked into is no object, or a scalar.
            let looked = inner.flatMap { $0.isOpen || !$0.asked.isEmpty ? $0.declared : nil }
            declared.declare(name.string, looked)
        }
        return declared
    }
}
