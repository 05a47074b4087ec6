/// Places of entries, each once, of which some are taken at a time.
///
/// Not a set alone: `popFirst` takes from the beginning of its table, the rest crowds at the end, and in the end each
/// insert passes over all of it.
struct LoggedKeys {
    private var known: Set<LoggedKey> = []
    /// The same in the order in which they came.
    private var order: [LoggedKey] = []
    /// About what they take in memory.
    private(set) var cost = 0

    var count: Int { order.count }

    mutating func insert(_ key: LoggedKey) {
        guard known.insert(key).inserted else { return }
        order.append(key)
        cost &+= key.cost
    }

    /// Takes those that came last, at most `count`.
    mutating func take(atMost count: Int) -> [LoggedKey] {
        let taken = Array(order.suffix(count))
        order.removeLast(taken.count)
        if order.isEmpty {
            self = LoggedKeys()
            return taken
        }
        for key in taken {
            known.remove(key)
            cost &-= key.cost
        }
        return taken
    }
}
