/// For engines: where a winner's digest is in its tree, so that it need not be stored a second time.
extension RevisionID {
    /// How far into the tree a digest is searched for. The winner is the first revision of a tree.
    package static let digestPlaces = 0...48

    /// Returns the offset in `digestPlaces` at which the digest is in a tree's bytes; nil if it is not there, or if the
    /// ID is opaque.
    @inline(__always)
    package func place(in tree: RawSpan) -> Int? {
        guard let digest else { return nil }
        let high = digest.high.bigEndian
        let low = digest.low.bigEndian
        var place = 0
        let last = min(tree.byteCount - 16, RevisionID.digestPlaces.upperBound)
        while place <= last {
            if unsafe tree.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt64.self) == high,
                unsafe tree.unsafeLoadUnaligned(fromUncheckedByteOffset: place &+ 8, as: UInt64.self) == low
            {
                return place
            }
            place &+= 1
        }
        return nil
    }

    /// Creates the ID of a stored winner whose digest is at `place` in the tree's bytes.
    ///
    /// - Throws: `corrupt` (591) if there are not 16 bytes, or the generation is out of range.
    @inline(__always)
    package init(generation: UInt64, place: Int, in tree: RawSpan) throws(StorageError) {
        guard 1...RevisionID.maximumGeneration ~= generation, place >= 0, tree.byteCount &- place >= 16 else {
            throw .corrupt("A stored record does not say which revision wins")
        }
        self.init(
            uncheckedGeneration: generation,
            high: unsafe UInt64(bigEndian: tree.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self)),
            low: unsafe UInt64(bigEndian: tree.unsafeLoadUnaligned(fromByteOffset: place &+ 8, as: UInt64.self))
        )
    }
}
