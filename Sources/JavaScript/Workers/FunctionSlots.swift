/// Which functions are compiled in a child, and where.
struct FunctionSlots {
    /// How many functions a call may have, so that none takes the place of another.
    static let most = JavaScriptWire.slots / 2

    private var numbers: [JavaScriptFunction: Int] = [:]
    /// Those used last are at the end.
    private var order: [JavaScriptFunction] = []

    /// The slot of a function, if it is compiled. It counts as used now.
    mutating func use(_ function: JavaScriptFunction) -> Int? {
        guard let number = numbers[function] else { return nil }
        if order.last != function, let place = order.firstIndex(of: function) {
            order.remove(at: place)
            order.append(function)
        }
        return number
    }

    /// Makes room for one more function, in place of the one that was used longest ago if there are too many.
    mutating func free() -> Int {
        guard order.count >= JavaScriptWire.slots else {
            let used = Set(numbers.values)
            return (0..<JavaScriptWire.slots).first { !used.contains($0) } ?? 0
        }
        return numbers.removeValue(forKey: order.removeFirst()) ?? 0
    }

    mutating func insert(_ function: JavaScriptFunction, at number: Int) {
        numbers[function] = number
        order.append(function)
    }
}
