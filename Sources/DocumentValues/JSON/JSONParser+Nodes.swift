internal import StorageProtocol

extension JSONParser {
    /// What the value at a node is.
    public func kind(of node: JSONNode) -> JSONKind { JSONTape.kind(word(of: node)) }

    /// How many elements an array has, or members an object (overridden duplicates included); 0 for anything else.
    public func count(of node: JSONNode) -> Int {
        isContainer(word(of: node)) ? JSONTape.count(tape.view.word(Int(node.index) + 1)) : 0
    }

    /// The bytes of the text that the value takes up.
    public func sourceRange(of node: JSONNode) -> Range<Int> { JSONTape.range(word(of: node)) }

    /// Hands out the value's source text as it stands, for the time of `body`.
    public func withSource<R, E: Error>(of node: JSONNode, _ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try text.view.withBytes(sourceRange(of: node), body)
    }

    /// Whether the value's source text is its canonical text.
    public func isCanonical(_ node: JSONNode) -> Bool { JSONTape.isCanonical(word(of: node)) }

    /// The text of a string, nil for anything else.
    public func string(of node: JSONNode) -> String? {
        let word = word(of: node)
        return JSONTape.kind(word) == .string ? string(word) : nil
    }

    /// The number, where it is a whole one within Int64; nil otherwise.
    public func int(of node: JSONNode) -> Int64? {
        switch kind(of: node) {
        case .int, .uint, .double: value(of: node).intValue
        default: nil
        }
    }

    /// Goes through the elements of an array; does nothing for anything else.
    public func forEachElement<E: Error>(of node: JSONNode, _ body: (JSONNode) throws(E) -> Void) throws(E) {
        guard kind(of: node) == .array else { return }
        let end = next(after: Int(node.index))
        var i = Int(node.index) + 2
        while i < end {
            try body(self.node(i))
            i = next(after: i)
        }
    }

    /// Goes through the members of an object, in canonical order and without overridden duplicates; does nothing for
    /// anything else.
    public func forEachMember<E: Error>(
        of node: JSONNode,
        _ body: (_ name: String, _ value: JSONNode) throws(E) -> Void
    ) throws(E) {
        guard kind(of: node) == .object else { return }
        for name in canonicalNames(of: Int(node.index)) {
            try body(string(tape.view.word(name)), self.node(name + 1))
        }
    }

    /// The member of an object, the last one where there are several of this name. Nil where there is none, or the
    /// value is no object.
    ///
    /// - Complexity: linear in the number of members.
    public func member(_ name: String, of node: JSONNode) -> JSONNode? {
        guard kind(of: node) == .object else { return nil }
        return name.withUTF8Bytes { wanted in
            var found: JSONNode?
            let end = next(after: Int(node.index))
            var i = Int(node.index) + 2
            while i < end {
                if isName(tape.view.word(i), equalTo: wanted) { found = self.node(i + 1) }
                i = next(after: i + 1)
            }
            return found
        }
    }

    /// Goes through those members of the top object whose name begins with `_`, in canonical order and without
    /// overridden duplicates.
    public func forEachReservedMember<E: Error>(
        _ body: (_ name: String, _ value: JSONNode) throws(E) -> Void
    ) throws(E) {
        guard hasReservedMembers, let root else { return }
        for name in reservedNames(of: Int(root.index)) {
            try body(string(tape.view.word(name)), self.node(name + 1))
        }
    }

    /// The tape positions of those of an object's names that begin with `_`, as `canonicalNames` gives them.
    private func reservedNames(of object: Int) -> [Int] {
        var names: [Int] = []
        let end = next(after: object)
        var i = object + 2
        while i < end {
            let word = tape.view.word(i)
            if isReserved(word) {
                // There are few as a rule; where there are many, sorting all of the object's is quicker than this.
                if names.count == 16 { return canonicalNames(of: object).filter { isReserved(tape.view.word($0)) } }
                let place = names.firstIndex { compareNames(tape.view.word($0), word) >= 0 } ?? names.count
                if place < names.count, compareNames(tape.view.word(names[place]), word) == 0 {
                    names[place] = i
                } else {
                    names.insert(i, at: place)
                }
            }
            i = next(after: i + 1)
        }
        return names
    }
}

extension JSONParser {
    @inline(__always)
    func isContainer(_ word: UInt64) -> Bool {
        let kind = JSONTape.kind(word)
        return kind == .object || kind == .array
    }

    /// The tape position behind the value at `index`.
    @inline(__always)
    func next(after index: Int) -> Int {
        isContainer(tape.view.word(index)) ? JSONTape.next(tape.view.word(index &+ 1)) : index &+ 1
    }

    /// The text of a string's word.
    func string(_ word: UInt64) -> String {
        if JSONTape.isSpecial(word) { return String(decoding: decoded(word), as: UTF8.self) }
        return text.view.string(JSONTape.start(word) + 1..<JSONTape.end(word) - 1)
    }

    /// The bytes of a string's word, escapes resolved.
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

    /// Hands out the bytes of a string's word, escapes resolved.
    func withDecoded<R>(_ word: UInt64, _ body: (RawSpan) -> R) -> R {
        if JSONTape.isSpecial(word) { return unsafe body(decoded(word).span.bytes) }
        return text.view.withBytes(JSONTape.start(word) + 1..<JSONTape.end(word) - 1, body)
    }

    func isName(_ word: UInt64, equalTo wanted: RawSpan) -> Bool {
        // A name without escapes has the length that its place tells.
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

    /// Orders two names.
    func compareNames(_ a: UInt64, _ b: UInt64) -> Int {
        withDecoded(a) { x in withDecoded(b) { y in JSONKeyOrder.compare(x, y) } }
    }

    /// The tape positions of an object's names in canonical order, of equal ones only the last.
    func canonicalNames(of object: Int) -> [Int] {
        let tape = tape.view
        if JSONTape.isSpecial(tape.word(object)) {
            var writer = JSONTapeWriter(self)
            return writer.sortedNames(of: object, self)
        }
        var names: [Int] = []
        names.reserveCapacity(JSONTape.count(tape.word(object + 1)))
        let end = next(after: object)
        var i = object + 2
        while i < end {
            names.append(i)
            i = next(after: i + 1)
        }
        return names
    }
}
