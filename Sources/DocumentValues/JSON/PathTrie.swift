/// Paths into documents that are looked for together: one walk over a canonical text finds the values of all of them.
///
/// The members of an object are sorted, and so are the names that are wanted of it. The walk steps through both and
/// ends behind the last wanted one. What is not wanted is skipped 16 bytes at a time.
///
/// ```swift
/// let trie = PathTrie([try JSONPointer("/type"), try JSONPointer("/address/city")])
/// var places = PathPlaces()
/// trie.locate(in: body, &places)
/// if let range = places[1] { use(body.extracting(range)) }
/// ```
///
/// The text must be canonical, as for `JSONScanner`. In any other text, or a damaged one, a value may not be found.
///
/// Unchecked Sendable: what the pointers lead to does not change.
@safe
package final class PathTrie: @unchecked Sendable {
    /// A value on the way to some paths, or at the end of one.
    struct Node {
        /// The number of the path that ends here, or -1.
        var path: Int32 = -1
        /// The indexes among `members` of the names that are wanted of an object, sorted.
        var members: Range<Int32> = 0..<0
        /// The indexes among `elements` of the elements that are wanted of an array, sorted.
        var elements: Range<Int32> = 0..<0
        /// Whether the bytes of the names, each with a quote behind it, have the order of the names.
        var isOrdered = true

        var isLeaf: Bool { members.isEmpty && elements.isEmpty }
    }

    struct Member {
        /// The first eight bytes of the name in canonical text with its closing quote, the first one highest.
        let head: UInt64
        /// The bits of `head` that belong to them.
        let mask: UInt64
        /// The name's bytes with the quote among `names`.
        let name: Range<Int32>
        let node: Int32
    }

    struct Element {
        let index: Int
        let node: Int32
    }

    let nodes: UnsafeMutableBufferPointer<Node>
    let members: UnsafeMutableBufferPointer<Member>
    let elements: UnsafeMutableBufferPointer<Element>
    let names: UnsafeMutableBufferPointer<UInt8>
    /// For each path of `init` the number of the one that is equal to it.
    private let numbers: [Int32]
    /// The number of different paths.
    package let count: Int

    /// - Parameter paths: May be equal, or lead through one another.
    package init(_ paths: [JSONPointer]) {
        var builder = PathTrieBuilder()
        numbers = paths.map { builder.add($0) }
        let parts = builder.build()
        unsafe nodes = PathTrie.copy(parts.nodes)
        unsafe members = PathTrie.copy(parts.members)
        unsafe elements = PathTrie.copy(parts.elements)
        unsafe names = PathTrie.copy(parts.names)
        count = builder.count
    }

    deinit {
        unsafe nodes.deallocate()
        unsafe members.deallocate()
        unsafe elements.deallocate()
        unsafe names.deallocate()
    }

    @unsafe
    private static func copy<Part>(_ parts: [Part]) -> UnsafeMutableBufferPointer<Part> {
        let copy = UnsafeMutableBufferPointer<Part>.allocate(capacity: parts.count)
        _ = unsafe copy.initialize(fromContentsOf: parts)
        return unsafe copy
    }

    package var isEmpty: Bool { count == 0 }

    /// The number of a path of `init`, by its index there: equal paths have the same.
    package func number(_ index: Int) -> Int { Int(numbers[index]) }
}

/// Where values were found. Keeps its memory from one text to the next.
package struct PathPlaces {
    /// By the number of the path; empty: not found.
    var ranges: [Range<Int>] = []

    package init() {}

    /// The bytes of the value at the path with a number (`PathTrie.number(_:)`), or nil if there is none.
    @inline(__always)
    package subscript(_ number: Int) -> Range<Int>? {
        let range = ranges[number]
        return range.isEmpty ? nil : range
    }
}

/// Where one walk found values. It must not be kept.
@safe
package struct FoundPlaces {
    private let ranges: UnsafeMutableBufferPointer<Range<Int>>

    @unsafe
    package init(_ ranges: UnsafeMutableBufferPointer<Range<Int>>) { unsafe self.ranges = ranges }

    /// The bytes of the value at the path with a number (`PathTrie.number(_:)`), or nil if there is none.
    package subscript(_ number: Int) -> Range<Int>? {
        guard number >= 0, unsafe number < ranges.count else { return nil }
        let range = unsafe ranges[number]
        return range.isEmpty ? nil : range
    }
}
