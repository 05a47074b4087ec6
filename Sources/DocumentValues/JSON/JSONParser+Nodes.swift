internal import StorageProtocol

extension JSONParser {
    /// Returns the kind of the value at a node.
    public func kind(of node: JSONNode) -> JSONKind { JSONTape.kind(word(of: node)) }

    /// Returns the number of elements of an array or members of an object (overridden duplicates included); 0 for
    /// anything else.
    public func count(of node: JSONNode) -> Int {
        JSONTape.isContainer(word(of: node)) ? JSONTape.count(tape.view.word(Int(node.index) + 1)) : 0
    }

    /// Returns the range of bytes in the text that the value occupies.
    public func sourceRange(of node: JSONNode) -> Range<Int> { JSONTape.range(word(of: node)) }

    /// Passes the unchanged source text of the value to `body`.
    public func withSource<R, E: Error>(of node: JSONNode, _ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try text.view.withBytes(sourceRange(of: node), body)
    }

    /// Whether the value's source text is its canonical text.
    public func isCanonical(_ node: JSONNode) -> Bool { JSONTape.isCanonical(word(of: node)) }

    /// Returns the text of a string, or nil for anything else.
    public func string(of node: JSONNode) -> String? {
        let word = word(of: node)
        return JSONTape.kind(word) == .string ? string(word) : nil
    }

    /// Returns the number if it is a whole one within Int64, or nil otherwise.
    public func int(of node: JSONNode) -> Int64? {
        switch kind(of: node) {
        case .int, .uint, .double: value(of: node).intValue
        default: nil
        }
    }

    /// Passes the elements of an array to `body`. Does nothing for anything else.
    public func forEachElement<E: Error>(of node: JSONNode, _ body: (JSONNode) throws(E) -> Void) throws(E) {
        guard kind(of: node) == .array else { return }
        let end = next(after: Int(node.index))
        var i = Int(node.index) + 2
        while i < end {
            try body(self.node(i))
            i = next(after: i)
        }
    }

    /// Passes the members of an object to `body`, in canonical order and without overridden duplicates. Does nothing
    /// for anything else.
    public func forEachMember<E: Error>(
        of node: JSONNode,
        _ body: (_ name: String, _ value: JSONNode) throws(E) -> Void
    ) throws(E) {
        guard kind(of: node) == .object else { return }
        for name in canonicalNames(of: Int(node.index)) {
            try body(string(tape.view.word(name)), self.node(name + JSONTape.nameSize))
        }
    }

    /// Returns the member of an object, the last one if several have this name. Nil if there is none, or the value is
    /// not an object.
    ///
    /// - Complexity: Linear in the number of members.
    public func member(_ name: String, of node: JSONNode) -> JSONNode? {
        guard kind(of: node) == .object else { return nil }
        return name.withUTF8Bytes { wanted in
            var found: JSONNode?
            let end = next(after: Int(node.index))
            var i = Int(node.index) + 2
            while i < end {
                if isName(tape.view.word(i), equalTo: wanted) { found = self.node(i + JSONTape.nameSize) }
                i = next(after: i + JSONTape.nameSize)
            }
            return found
        }
    }

    /// Passes those members of the top object whose name begins with `_` to `body`, in canonical order and without
    /// overridden duplicates.
    public func forEachReservedMember<E: Error>(
        _ body: (_ name: String, _ value: JSONNode) throws(E) -> Void
    ) throws(E) {
        guard hasReservedMembers, let root else { return }
        for name in reservedNames(of: Int(root.index)) {
            try body(string(tape.view.word(name)), self.node(name + JSONTape.nameSize))
        }
    }

    /// Returns the tape positions of those of an object's names that begin with `_`, in the order of `canonicalNames`.
    private func reservedNames(of object: Int) -> [Int] {
        var names: [Int] = []
        let end = next(after: object)
        var i = object + 2
        while i < end {
            let word = tape.view.word(i)
            if isReserved(word) {
                // There are usually only a few. If there are many, sorting all names of the object is faster than this.
                if names.count == 16 { return canonicalNames(of: object).filter { isReserved(tape.view.word($0)) } }
                let place = names.firstIndex { compareNames(tape.view.word($0), word) >= 0 } ?? names.count
                if place < names.count, compareNames(tape.view.word(names[place]), word) == 0 {
                    names[place] = i
                } else {
                    names.insert(i, at: place)
                }
            }
            i = next(after: i + JSONTape.nameSize)
        }
        return names
    }
}

extension JSONParser {
    /// Returns the tape position after the value at `index`.
    @inline(__always)
    func next(after index: Int) -> Int {
        JSONTape.isContainer(tape.view.word(index)) ? JSONTape.next(tape.view.word(index &+ 1)) : index &+ 1
    }

    /// Returns the text of a string's word.
    func string(_ word: UInt64) -> String {
        if JSONTape.isSpecial(word) { return String(decoding: decoded(word), as: UTF8.self) }
        return text.view.string(JSONTape.start(word) + 1..<JSONTape.end(word) - 1)
    }

    /// Returns the bytes of a string's word, with escapes resolved.
    func decoded(_ word: UInt64) -> [UInt8] {
        let view = text.view
        let end = JSONTape.end(word) - 1
        var i = JSONTape.start(word) + 1
        var bytes: [UInt8] = []
        bytes.reserveCapacity(end - i)
        while i < end {
            var stop = i
            while stop < end, view[stop] != UInt8(ascii: "\\") { stop &+= 1 }
            view.append(i..<stop, to: &bytes)
            i = stop
            if i < end {
                let escape = JSONEscape(view, at: i)
                bytes.append(contentsOf: escape.utf8)
                i = escape.end
            }
        }
        return bytes
    }

    /// Passes the bytes of a string's word to `body`, with escapes resolved.
    func withDecoded<R>(_ word: UInt64, _ body: (RawSpan) -> R) -> R {
        if JSONTape.isSpecial(word) { return unsafe body(decoded(word).span.bytes) }
        return text.view.withBytes(JSONTape.start(word) + 1..<JSONTape.end(word) - 1, body)
    }

    func isName(_ word: UInt64, equalTo wanted: RawSpan) -> Bool {
        // The length of a name without escapes follows from its range in the text.
        if !JSONTape.isSpecial(word), JSONTape.end(word) &- JSONTape.start(word) &- 2 != wanted.byteCount {
            return false
        }
        return withDecoded(word) { $0.byteCount == wanted.byteCount && compareBytes($0, wanted) == 0 }
    }

    /// Whether a name begins with `_`.
    func isReserved(_ word: UInt64) -> Bool {
        if JSONTape.isSpecial(word) { return decoded(word).first == UInt8(ascii: "_") }
        return text.view[JSONTape.start(word) + 1] == UInt8(ascii: "_")
    }

    /// Compares two names.
    func compareNames(_ a: UInt64, _ b: UInt64) -> Int {
        withDecoded(a) { x in withDecoded(b) { y in JSONKeyOrder.compare(x, y) } }
    }

    /// Returns the tape positions of an object's names in canonical order. Of equal names only the last is included.
    func canonicalNames(of object: Int) -> [Int] {
        let tape = tape.view
        if JSONTape.isSpecial(tape.word(object)) {
            let sorter = JSONNameSorter(tape: tape, scratch: scratch.view)
            return (0..<sorter.gather(object, self, above: 0, skippingReserved: false)).map(sorter.name)
        }
        var names: [Int] = []
        names.reserveCapacity(JSONTape.count(tape.word(object + 1)))
        let end = next(after: object)
        var i = object + 2
        while i < end {
            names.append(i)
            i = next(after: i + JSONTape.nameSize)
        }
        return names
    }
}
