extension PathTrie {
    /// Passes where the values of all paths are in a canonical text.
    package func withPlaces(in text: RawSpan, _ use: (FoundPlaces) -> Void) {
        unsafe withUnsafeTemporaryAllocation(of: Range<Int>.self, capacity: count) { ranges in
            use(unsafe find(in: text, ranges))
        }
    }

    /// Finds the values of all paths in a canonical text.
    ///
    /// - Parameter ranges: memory for `count` ranges, valid as long as what is returned.
    /// - Complexity: Linear in the length of what precedes the end of the last value, at about 16 bytes a step.
    @unsafe
    package func find(in text: RawSpan, _ ranges: UnsafeMutableBufferPointer<Range<Int>>) -> FoundPlaces {
        unsafe ranges.initialize(repeating: 0..<0)
        if count > 0 {
            unsafe text.withUnsafeBytes { bytes in
                guard let bytes = unsafe CanonicalBytes(bytes) else { return }
                let walk = unsafe PathWalk(bytes, self, ranges)
                _ = walk.value(0, at: 0, needsEnd: false)
            }
        }
        return unsafe FoundPlaces(ranges, UnsafeBufferPointer(numbers))
    }
}

/// One walk over a text.
@safe
private struct PathWalk {
    private let text: CanonicalBytes
    private let nodes: UnsafeMutableBufferPointer<PathTrie.Node>
    private let members: UnsafeMutableBufferPointer<PathTrie.Member>
    private let names: UnsafeMutableBufferPointer<UInt8>
    private let elements: UnsafeMutableBufferPointer<PathTrie.Element>
    private let found: UnsafeMutableBufferPointer<Range<Int>>

    @unsafe
    init(_ text: CanonicalBytes, _ trie: PathTrie, _ found: UnsafeMutableBufferPointer<Range<Int>>) {
        self.text = text
        unsafe nodes = trie.nodes
        unsafe members = trie.members
        unsafe names = trie.names
        unsafe elements = trie.elements
        unsafe self.found = found
    }

    /// Finds what is wanted of the value at a position.
    ///
    /// - Returns: The position behind it if that is needed, else any; -1 if the text is damaged, or ends.
    func value(_ number: Int32, at start: Int, needsEnd: Bool) -> Int {
        let node = unsafe nodes[Int(number)]
        let needsEnd = needsEnd || node.path >= 0
        let first = text[start]
        var end = start
        if !node.isLeaf, first == UInt8(ascii: "{") {
            end = object(node, start, needsEnd)
        } else if !node.isLeaf, first == UInt8(ascii: "[") {
            end = array(node, start, needsEnd)
        } else if needsEnd {
            end = text.end(ofValueAt: start)
        }
        if node.path >= 0, end > start { unsafe found[Int(node.path)] = start..<end }
        return end
    }

    /// Finds the members that are wanted of an object.
    private func object(_ node: PathTrie.Node, _ start: Int, _ needsEnd: Bool) -> Int {
        var position = start &+ 1
        if text[position] != UInt8(ascii: "}") {
            position = node.isOrdered ? ordered(node, position, needsEnd) : unordered(node, position, needsEnd)
        }
        return needsEnd && position > 0 ? text.end(ofContainerFrom: position) : position
    }

    /// Finds members, from the first name of an object. Returns where it stopped: at or behind a value or a name of the
    /// object if its end is needed.
    private func ordered(_ node: PathTrie.Node, _ start: Int, _ needsEnd: Bool) -> Int {
        var position = start
        var next = Int(node.members.lowerBound)
        let last = Int(node.members.upperBound) &- 1
        var member = unsafe members[next]
        while true {
            guard text[position] == UInt8(ascii: "\"") else { return CanonicalBytes.damaged }
            let head = text.eight(position &+ 1)
            // Past the members whose names come before this one: they are not there.
            while isBehind(head, position &+ 1, member) {
                if next == last { return position }
                next &+= 1
                member = unsafe members[next]
            }
            let isFound = head & member.mask == member.head && (member.mask != .max || isName(member, position &+ 1))
            position = isFound ? position &+ 1 &+ member.name.count : text.end(ofStringFrom: position &+ 1)
            guard position > 0, text[position] == UInt8(ascii: ":") else { return CanonicalBytes.damaged }
            if isFound {
                position = value(member.node, at: position &+ 1, needsEnd: needsEnd || next < last)
                if next == last { return position }
                next &+= 1
                member = unsafe members[next]
            } else {
                position = text.end(ofValueAt: position &+ 1)
            }
            guard position > 0, text[position] == UInt8(ascii: ",") else { return position }
            position &+= 1
        }
    }

    /// Whether a name, of which the first eight bytes are given, comes behind that of a member. One with an escape
    /// where they differ does not: its bytes do not tell.
    @inline(__always)
    private func isBehind(_ head: UInt64, _ position: Int, _ member: PathTrie.Member) -> Bool {
        let masked = head & member.mask
        if masked < member.head { return false }
        if masked == member.head { return member.mask == .max && isLongNameBehind(position, member) }
        return !PathWalk.isEscape(masked, member.head)
    }

    private func isLongNameBehind(_ position: Int, _ member: PathTrie.Member) -> Bool {
        for index in 8..<max(8, member.name.count) {
            let byte = text[position &+ index]
            let wanted = unsafe names[Int(member.name.lowerBound) &+ index]
            if byte != wanted { return byte > wanted && byte != UInt8(ascii: "\\") }
        }
        return false
    }

    private static func isEscape(_ text: UInt64, _ wanted: UInt64) -> Bool {
        let shift = 56 &- (text ^ wanted).leadingZeroBitCount & 56
        return UInt8(truncatingIfNeeded: text &>> UInt64(truncatingIfNeeded: shift)) == UInt8(ascii: "\\")
    }

    /// The same for names that the order of their bytes says nothing about.
    private func unordered(_ node: PathTrie.Node, _ start: Int, _ needsEnd: Bool) -> Int {
        var position = start
        var left = node.members.count
        while true {
            guard text[position] == UInt8(ascii: "\"") else { return CanonicalBytes.damaged }
            let found = node.members.first { unsafe isName(members[Int($0)], position &+ 1) }
            position = text.end(ofStringFrom: position &+ 1)
            guard position > 0, text[position] == UInt8(ascii: ":") else { return CanonicalBytes.damaged }
            if let found {
                left &-= 1
                position = value(unsafe members[Int(found)].node, at: position &+ 1, needsEnd: needsEnd || left > 0)
                if left == 0 { return position }
            } else {
                position = text.end(ofValueAt: position &+ 1)
            }
            guard position > 0, text[position] == UInt8(ascii: ",") else { return position }
            position &+= 1
        }
    }

    private func isName(_ member: PathTrie.Member, _ position: Int) -> Bool {
        unsafe text.has(bytes(of: member), at: position)
    }

    @unsafe
    private func bytes(of member: PathTrie.Member) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(
            UnsafeBufferPointer(rebasing: names[Int(member.name.lowerBound)..<Int(member.name.upperBound)])
        )
    }

    /// Finds the elements that are wanted of an array.
    private func array(_ node: PathTrie.Node, _ start: Int, _ needsEnd: Bool) -> Int {
        var position = start &+ 1
        var index = 0
        var wanted = Int(node.elements.lowerBound)
        let last = Int(node.elements.upperBound) &- 1
        if text[position] == UInt8(ascii: "]") { wanted = last &+ 1 }
        while wanted <= last {
            let element = unsafe elements[wanted]
            if index == element.index {
                let end = value(element.node, at: position, needsEnd: needsEnd || wanted < last)
                if end < 0 { return end }
                // The next one may be the same element, as in `tags.0` and `tags.00`.
                if wanted == last { position = end }
                wanted &+= 1
            } else {
                position = text.end(ofValueAt: position)
                if position < 0 { return position }
                guard text[position] == UInt8(ascii: ",") else { break }
                position &+= 1
                index &+= 1
            }
        }
        return needsEnd ? text.end(ofContainerFrom: position) : position
    }
}
