internal import SetteeStorageFiles
package import StorageProtocol

/// The databases of this process that are open or still closing, and the threads that are opening, creating, deleting
/// or replacing one.
///
/// Each place has its own state, so a thread waits only for the folder that it uses. A thread that would wait for
/// itself, or for one that waits for it, gets a `callback` error (593).
package enum OpenDatabases {
    /// What a thread receives for a place.
    package enum Finding {
        case open(Database)
        /// The caller now has the right to the place.
        case occupied(Occupancy)
    }

    private enum Entry {
        case open(DatabaseReference, closed: Latch)
        case occupied(Occupancy)
    }

    private enum Claim {
        case found(Finding)
        case wait(Latch, Database?)
        case refused(StorageError, Database?)
    }

    private struct Table {
        var entries: [Occupancy.Place: Entry] = [:]
        var waits = WaitGraph()
    }

    private static let table = Locked(Table())

    /// Returns the database that is open at a path, or the right to the place. Waits for other threads that have that
    /// right.
    ///
    /// - Throws: `callback` (593) if this thread would wait for itself; `notOpen` (503) if it reads from a database
    ///   that is being closed, which cannot close until the read ends; `badParameter` (495), `fileSystem` (498).
    package static func occupy(_ path: String) throws(StorageError) -> Finding {
        while true {
            let place = try FolderInfo.place(of: path)
            let finding = try occupy(.folder(place))
            guard case .occupied(let occupancy) = finding else { return finding }
            do throws(StorageError) {
                // It may have been created, replaced or deleted since it was examined.
                if try FolderInfo.place(of: path) == place { return finding }
                occupancy.release()
            } catch {
                occupancy.release()
                throw error
            }
        }
    }

    /// The same for a place that changes only through this type.
    static func occupy(_ place: Occupancy.Place) throws(StorageError) -> Finding {
        while true {
            switch table.withLock({ claim(place, &$0) }) {
            case .found(let finding): return finding
            case .refused(let error, _): throw error
            case .wait(let turnstile, let database):
                withExtendedLifetime(database) { turnstile.wait() }
                table.withLock { $0.waits.end() }
            }
        }
    }

    /// References to databases are released outside the lock, because releasing the last one closes the database.
    private static func claim(_ place: Occupancy.Place, _ table: inout Table) -> Claim {
        switch table.entries[place] {
        case nil:
            let occupancy = Occupancy(place)
            table.entries[place] = .occupied(occupancy)
            return .found(.occupied(occupancy))
        case .occupied(let occupancy):
            guard table.waits.begin(for: .thread(occupancy.thread), reading: ThreadContext.current.stores) else {
                return .refused(
                    StorageError(
                        .callback,
                        "The database is being opened, made, deleted or replaced by this very thread, or by one that "
                            + "waits for it."
                    ),
                    nil
                )
            }
            return .wait(occupancy.over, nil)
        case .open(let entry, let closed):
            guard let database = entry.database else { return waitForClosing(nil, closed, &table) }
            return database.isOpen ? .found(.open(database)) : waitForClosing(database, closed, &table)
        }
    }

    private static func waitForClosing(_ database: Database?, _ closed: Latch, _ table: inout Table) -> Claim {
        let stores = ThreadContext.current.stores
        if let database {
            let store = ObjectIdentifier(database.store)
            guard !stores.contains(store) else {
                return .refused(
                    StorageError(.notOpen, "The database is being closed while this thread reads from it."),
                    database
                )
            }
            guard table.waits.begin(for: .readers(store), reading: stores) else {
                return .refused(
                    StorageError(
                        .callback,
                        "The database is being closed, and who reads from it waits for this thread."
                    ),
                    database
                )
            }
        }
        return .wait(closed, database)
    }

    // MARK: - For occupancies

    static func extend(_ occupancy: Occupancy, to place: Occupancy.Place) {
        table.withLock { table in
            // An open folder with this identity was removed by other means.
            table.entries[place] = .occupied(occupancy)
            occupancy.places.withLock { $0.append(place) }
        }
    }

    static func end(_ occupancy: Occupancy, with database: Database?) {
        let isOver = table.withLock { table in
            let places = occupancy.places.withLock { places in
                defer { places = [] }
                return places
            }
            for place in places {
                // A new folder with the number of a removed one may be at the place now.
                guard case .occupied(let present) = table.entries[place], present === occupancy else { continue }
                if case .folder(.name) = place {
                    table.entries[place] = nil
                } else {
                    table.entries[place] = database.map(entry)
                }
            }
            return places.isEmpty
        }
        if !isOver { occupancy.over.open() }
    }

    private static func entry(_ database: Database) -> Entry {
        .open(database.reference, closed: database.closed)
    }

    // MARK: - For databases

    /// Removes a database that was closed. Another one at the same place is kept.
    static func remove(_ place: Occupancy.Place, closedBy closed: Latch) {
        table.withLock { table in
            if case .open(_, let known) = table.entries[place], known === closed { table.entries[place] = nil }
        }
    }
}
