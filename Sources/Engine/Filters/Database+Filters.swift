extension Database {
    /// Sets the filter function with a name, replacing an earlier one; nil removes it.
    ///
    /// ```swift
    /// database.setFilter("byOwner", version: "1") { revision, parameters in
    ///     try revision.properties["owner"] == parameters["name"]
    /// }
    /// ```
    ///
    /// Functions are not stored: set them each time the database is opened. Other processes and other `Database`
    /// objects have their own. A function may be called on any thread, several times for one revision, and may read
    /// the database.
    ///
    /// - Parameter version: change it with the function: what was passed on under another version says nothing about
    ///   this one, so that a replication begins anew.
    public func setFilter(_ name: String, version: String, _ filter: Filter?) {
        filters.set(name, filter.map { NamedFilter(name: name, version: version, function: $0) })
    }

    /// Returns the filter with a name; nil if there is none.
    public func filter(named name: String) -> NamedFilter? { filters[name] }

    /// The names of all filters, in the order of their bytes.
    public var filterNames: [String] { filters.all.map(\.name) }
}
