extension [DocumentID] {
    /// The places of the array in the order of the IDs' bytes: neighbours in a store are read one after another.
    ///
    /// - Complexity: O(n) where they are in order.
    package var placesInOrder: [Int] {
        var isInOrder = true
        for place in indices.dropFirst() where self[place] < self[place - 1] {
            isInOrder = false
            break
        }
        return isInOrder ? [Int](indices) : indices.sorted { self[$0] < self[$1] }
    }
}
