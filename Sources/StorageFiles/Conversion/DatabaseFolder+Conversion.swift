package import StorageProtocol

extension DatabaseFolder {
    /// What a killed conversion has recorded, if it is for this run of the system and the current manifest. Nil: there
    /// is nothing to continue.
    package var earlierConversion: ConversionFile? {
        guard let file = ConversionFile.read(in: path), let names = try? Files.names(in: path) else { return nil }
        return file.isValid(in: path, for: state.withLock { $0.manifest }, names: names) ? file : nil
    }

    /// Records in the folder what is being made in `staged`, so that a sweep keeps it and a later conversion continues
    /// with it. If it cannot be recorded, the conversion starts again after a kill.
    ///
    /// - Parameter seal: For the keys of the next generation; nil for a plain one.
    package func note(_ note: ConversionNote, of staged: StagedGeneration, sealedBy seal: (any ManifestSealing)?) {
        guard let boot = Host.bootIdentity, staged.blobChange != .link,
            let made = try? Files.info(staged.data.path, follow: false)?.identity
        else { return }
        let place = ConversionFile.Place(
            boot: boot,
            manifest: staged.base.checksum,
            data: staged.data.number,
            folder: made,
            blobs: staged.blobs?.number
        )
        try? ConversionFile(place, note, sealedBy: seal)?.write(in: path)
    }

    /// Takes over what `earlier` describes, locked as if it had just been made. Call `keepOthersAway` first.
    ///
    /// - Returns: Nil if the folder has changed since, or what is there is in use.
    /// - Throws: `corrupt` (591) if it does not consist of plain files.
    package func takeOver(_ earlier: ConversionFile) throws(StorageError) -> StagedGeneration? {
        try requireSwitchable()
        guard earlierConversion == earlier else { return nil }
        let place = earlier.place
        guard let data = try takeOver(place.dataName, place.data) else { return nil }
        var blobs: NewGeneration?
        if let name = place.blobName, let number = place.blobs {
            blobs = try takeOver(name, number)
            guard blobs != nil else {
                data.lock.release()
                return nil
            }
        }
        let present = state.withLock { $0.manifest }
        let staged = StagedGeneration(self, base: present, data: data, blobs: blobs, blobs == nil ? .keep : .build)
        do throws(StorageError) {
            try DatabaseFolder.requirePlainFiles(in: data.path, areWritten: true)
            // Remove partly written files.
            if let blobs { try StagingSweep.sweep(blobs.path) }
        } catch {
            staged.discard()
            throw error
        }
        return staged
    }

    private func takeOver(_ name: String, _ number: UInt64) throws(StorageError) -> NewGeneration? {
        guard let lock = try Staging.lock(path + "/" + name, isDirectory: true) else { return nil }
        return NewGeneration(name: name, number: number, path: path + "/" + name, lock: lock)
    }

    /// Removes what a killed conversion has left, if anything.
    ///
    /// - Parameter current: Returns the database's change counter. Called if there is something; what belongs to this
    ///   state of the database stays.
    package func dropEarlierConversion(unlessOf current: () throws(StorageError) -> UInt64? = { () in nil }) {
        guard access == .readWrite, (try? Files.info(path + "/" + ConversionFile.name, follow: false)) != nil else {
            return
        }
        let earlier = earlierConversion
        if let earlier, let current = try? current(), current == earlier.note.changeCounter { return }
        ConversionFile.remove(in: path)
        for name in earlier?.place.names ?? [] { Sweep.generation(path, name) }
    }
}
