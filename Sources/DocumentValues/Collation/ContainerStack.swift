/// Records which of the nested containers are objects. The innermost ones, up to 64, are bits of a word, so that
/// typical keys allocate nothing.
struct ContainerStack {
    private(set) var depth = 0
    private var innermost: UInt64 = 0
    private var others: [UInt64]?

    /// Whether the innermost container is an object.
    var top: Bool { innermost & 1 != 0 }

    mutating func push(_ isObject: Bool) {
        if depth > 0 && depth % 64 == 0 {
            others = (others ?? []) + [innermost]
            innermost = 0
        }
        innermost = innermost << 1 | (isObject ? 1 : 0)
        depth += 1
    }

    mutating func pop() {
        innermost >>= 1
        depth -= 1
        if depth % 64 == 0, let word = others?.popLast() { innermost = word }
    }
}
