/// Where in a selector a condition is.
struct SelectorContext {
    /// The names of the fields around it, joined with points. Empty for a condition on the value itself.
    var path: [UInt8] = []
    /// Whether it is a condition on elements or names, not on a document.
    var isInner = false
    /// Whether it is to hold where it does not. Never for inner conditions.
    var isNegated = false
    /// Whether values are compared in the raw order.
    var isRaw = false
    var depth = 0

    /// Whether the operands of a condition here are compared in the raw order: CouchDB does so for the field `_id` and
    /// below it.
    private var comparesRaw: Bool { isRaw || path.elementsEqual("_id".utf8) }
    var meaning: Meaning { .mango(raw: comparesRaw) }

    /// The context of a member with this name. CouchDB joins the names first and splits them afterwards.
    func field(_ name: String) -> SelectorContext {
        var inner = self
        if !inner.path.isEmpty { inner.path.append(UInt8(ascii: ".")) }
        inner.path.append(contentsOf: name.utf8)
        inner.depth += 1
        return inner
    }

    func argument(isNegated: Bool) -> SelectorContext {
        var inner = self
        inner.isNegated = isNegated
        inner.depth += 1
        return inner
    }

    /// The context of a condition on elements or names.
    var inner: SelectorContext { SelectorContext(isInner: true, isRaw: comparesRaw, depth: depth + 1) }
}
