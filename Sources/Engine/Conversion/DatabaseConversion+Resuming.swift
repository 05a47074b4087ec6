internal import SetteeStorageFiles
internal import StorageProtocol

extension DatabaseConversion {
    /// Continues a killed conversion.
    ///
    /// - Returns: False if nothing usable is left, and everything has to start over.
    func goOn() throws(StorageError) -> Bool {
        guard let earlier = target.earlier else { return false }
        do throws(StorageError) {
            guard try changeCounter() == earlier.note.changeCounter, let staged = try folder.takeOver(earlier) else {
                try target.beginAnew()
                return false
            }
            isResumed = true
            Log.log(.info, .database, "\(database.name): goes on with a conversion that was killed")
            try build(staged)
            return true
        } catch {
            guard !isBuilt, error.isOfWhatIsThere else { throw error }
            Log.log(
                .info,
                .database,
                "\(database.name): what a killed conversion has left is of no use, and all begins anew: "
                    + "\(error.message)"
            )
            isResumed = false
            names = [:]
            contents = (0, 0)
            hasOmitted = false
            try target.beginAnew()
            return false
        }
    }

    func changeCounter() throws(StorageError) -> UInt64 {
        let generation = try database.enter()
        defer { database.leave(generation) }
        return try generation.engine.counters().changeCounter
    }

    /// Stores in the folder how far the conversion is, for a later one. A decryption is not continued, so that the next
    /// opening removes the plain text that a killed one has left.
    func note(_ staged: StagedGeneration, _ changeCounter: UInt64) throws(StorageError) {
        guard !target.decrypts else { return }
        let seal = try target.setup.keys?.seal(of: folder.databaseUUID)
        folder.note(try target.note(of: changeCounter), of: staged, sealedBy: seal)
    }

    /// Creates the store, or opens an existing one.
    func openStore(
        in staged: StagedGeneration
    ) throws(StorageError) -> (any StorageEngine, present: StorePart) {
        let directory = staged.dataDirectory
        guard isResumed else { return (try target.setup.openBuilding(in: directory), StorePart()) }
        let store: any StorageEngine
        do throws(StorageError) {
            store = try target.setup.openBuilding(in: directory, goesOn: true)
        } catch {
            // Only contents had been written.
            guard error.code == .notFound else { throw error }
            return (try target.setup.openBuilding(in: directory), StorePart())
        }
        do throws(StorageError) {
            // Else the copy of a damaged log would stay beside the new store, and tell of a loss that is none: the
            // source has everything.
            guard store.openingProblems.isEmpty else {
                throw .corrupt("The log of the files that the killed conversion has left is damaged")
            }
            return (store, try store.read { (transaction) throws(StorageError) in try StorePart(of: transaction) })
        } catch {
            store.close()
            throw error
        }
    }
}
