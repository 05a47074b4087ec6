/// First in, first out; both in constant time on average.
struct WaitingList<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var isEmpty: Bool { head == elements.count }
    var first: Element? { isEmpty ? nil : elements[head] }
    var last: Element? { isEmpty ? nil : elements[elements.count - 1] }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func replaceLast(by element: Element) {
        if !isEmpty { elements[elements.count - 1] = element }
    }

    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[head].take()
        head += 1
        if isEmpty {
            elements.removeAll(keepingCapacity: head <= 256)
            head = 0
        } else if head >= 256, head * 2 > elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }
}
