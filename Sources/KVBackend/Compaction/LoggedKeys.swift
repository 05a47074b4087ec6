/// A set of entries' keys from which some can be taken at a time.
///
/// A set alone is too slow: `popFirst` takes from the beginning of its table, the rest gathers at the end, and finally
/// each insert has to pass over all of it.
struct LoggedKeys {
    private var known: Set<LoggedKey> = []
    /// The same keys in the order in which they were added.
    private var order: [LoggedKey] = []
    /// Roughly how many bytes of memory they take.
    private(set) var cost = 0

    var count: Int { order.count }

    mutating func insert(_ key: LoggedKey) {
        guard known.insert(key).inserted else { return }
        order.append(key)
        cost &+= key.cost
    }

    /// Takes the last keys that were added, at most `count`.
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
