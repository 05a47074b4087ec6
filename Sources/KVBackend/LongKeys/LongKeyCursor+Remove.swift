internal import StorageEngineKit
internal import StorageProtocol

extension LongKeyCursor {
    /// Removes the current entry, and the nodes that this leaves empty. Afterwards `next` moves to the entry that
    /// followed, `previous` to the one before.
    func remove() throws(StorageError) {
        guard stand == .entry else { throw StorageError(.storage, "A cursor that stands nowhere removes nothing") }
        if nodes.isEmpty { return try root.remove() }
        stand = .nowhere
        let chunks = try chunks()
        while let node = nodes.last {
            try chunks.remove()
            if try unsafe chunks.next() && LongKey.belongs(chunks.key, to: node) {
                stand = .following
                return
            }
            if try enterNode(.backward) {
                stand = .preceding
                return
            }
            // The node is empty, so its continuation is removed.
            guard setPlaceAbove(marker: LongKeyLayout.marker) else { break }
            guard try unsafe chunks.seek(.atOrAfter(place.bytes)) && chunks.key.equals(place.bytes) else {
                throw .corrupt("A continuation of a long key is missing")
            }
        }
        try root.remove()
        stand = .entry
    }
}
