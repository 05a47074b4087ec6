/// Paths into documents that are looked for together: one walk over a canonical text finds the values of all of them.
///
/// The members of an object are sorted, and so are the names that are wanted of it. The walk steps through both and
/// ends behind the last wanted one. What is not wanted is skipped 16 bytes at a time.
///
/// ```swift
/// let trie = PathTrie([try JSONPointer("/type"), try JSONPointer("/address/city")])
/// let places = PathPlaces(trie)
/// if let range = places.find(in: body)[1] { use(body.extracting(range)) }
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
    /// The paths, as they were given.
    package let paths: [JSONPointer]
    /// For each of `paths` the number of the range in which its value is found: equal paths have the same.
    let numbers: UnsafeMutableBufferPointer<Int32>
    /// The number of different paths.
    package let count: Int

    /// - Parameter paths: May be equal, or lead through one another.
    package init(_ paths: [JSONPointer]) {
        var builder = PathTrieBuilder()
        self.paths = paths
        unsafe numbers = PathTrie.copy(paths.map { builder.add($0) })
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
        unsafe numbers.deallocate()
    }

    /// Returns one that has the paths of some others, one after the other: the walk over a text is one for all of them.
    package static func joined(_ tries: [PathTrie]) -> PathTrie {
        tries.count == 1 ? tries[0] : PathTrie(tries.flatMap(\.paths))
    }

    @unsafe
    private static func copy<Part>(_ parts: [Part]) -> UnsafeMutableBufferPointer<Part> {
        let copy = UnsafeMutableBufferPointer<Part>.allocate(capacity: parts.count)
        _ = unsafe copy.initialize(fromContentsOf: parts)
        return unsafe copy
    }

    package var isEmpty: Bool { count == 0 }
}

/// The memory for what is found in one text after another, on one thread.
@safe
package final class PathPlaces {
    private let trie: PathTrie
    private let ranges: UnsafeMutableBufferPointer<Range<Int>>

    package init(_ trie: PathTrie) {
        self.trie = trie
        unsafe ranges = .allocate(capacity: trie.count)
    }

    deinit { unsafe ranges.deallocate() }

    /// Finds the values of all paths in a canonical text. What is returned is valid until the next call.
    package func find(in text: RawSpan) -> FoundPlaces { unsafe trie.find(in: text, ranges) }
}

/// Where one walk found values. It must not be kept.
@safe
package struct FoundPlaces {
    private let ranges: UnsafeMutableBufferPointer<Range<Int>>
    private let numbers: UnsafeBufferPointer<Int32>

    /// - Parameters:
    ///   - ranges: by number; empty: not found.
    ///   - numbers: for each path its number.
    @unsafe
    init(_ ranges: UnsafeMutableBufferPointer<Range<Int>>, _ numbers: UnsafeBufferPointer<Int32>) {
        unsafe self.ranges = ranges
        unsafe self.numbers = numbers
    }

    /// Of no paths.
    package static var none: FoundPlaces {
        unsafe FoundPlaces(.init(start: nil, count: 0), .init(start: nil, count: 0))
    }

    /// The bytes of the value at one of the paths, by its index among `PathTrie.paths`; nil if there is no value, or no
    /// such path.
    package subscript(_ path: Int) -> Range<Int>? {
        guard path >= 0, unsafe path < numbers.count else { return nil }
        let range = unsafe ranges[Int(numbers[path])]
        return range.isEmpty ? nil : range
    }

    /// The places of the paths from index `path` on. The first of them gets index 0.
    package func suffix(from path: Int) -> FoundPlaces {
        unsafe FoundPlaces(ranges, UnsafeBufferPointer(rebasing: numbers[path...]))
    }
}
