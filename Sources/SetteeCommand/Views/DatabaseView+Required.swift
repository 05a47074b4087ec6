internal import Settee

extension DatabaseView {
    /// Returns the view's status.
    ///
    /// - Throws: `notFound` (404) if there is no such view.
    func requiredStatus() throws(StorageError) -> ViewStatus {
        guard let status = try status() else {
            throw StorageError(
                .notFound,
                "There is no view '\(name)'. `settee view ls` lists those that there are, `settee view define` makes "
                    + "one."
            )
        }
        return status
    }
}

extension [String] {
    /// The names without repetitions, compared by their bytes.
    var distinctNames: [String] {
        var seen: Set<[UInt8]> = []
        return filter { seen.insert([UInt8]($0.utf8)).inserted }
    }
}
