internal import StorageProtocol

extension ConversionFile {
    /// - Parameter seal: Makes the MAC of an encrypted generation, with the key that it will have.
    init?(_ place: Place, _ note: ConversionNote, sealedBy seal: (any ManifestSealing)?) {
        var text = Array(#"{"format":"settee-conversion","version":1"#.utf8)
        func add(_ name: String, _ value: some Sequence<UInt8>) {
            text += Array(",\"\(name)\":".utf8)
            text += Array(value)
        }
        add("boot", "\"\(place.boot)\"".utf8)
        add("manifest", "\"\(place.manifest)\"".utf8)
        add("data", "\(place.data)".utf8)
        add("device", "\(place.folder.device)".utf8)
        add("inode", "\(place.folder.inode)".utf8)
        if let blobs = place.blobs { add("blobs", "\(blobs)".utf8) }
        add("changeCounter", "\(note.changeCounter)".utf8)
        add("storageType", "\"\(note.storageType.name)\"".utf8)
        if let compression = note.compression { add("compression", "\"\(compression)\"".utf8) }
        add("keySlots", Array("[".utf8) + Array(note.keySlots.joined(separator: Array(",".utf8))) + Array("]".utf8))
        if let encryption = note.encryption { add("encryption", encryption) }
        self.init(Manifest.finished(text, sealedBy: seal))
    }

    /// Reads the bytes of the file. Never fails on any bytes: nil means that they are damaged or something else.
    init?(_ text: [UInt8]) {
        guard text.count <= ConversionFile.largestSize, let checked = Manifest.checkedPart(text) else { return nil }
        let (sealed, code) = Manifest.sealedPart(checked)
        guard let members = JSONMembers.scan(sealed + [UInt8(ascii: "}")]) else { return nil }
        var fields: [String: ArraySlice<UInt8>] = [:]
        for (name, value) in members {
            let plain = String(decoding: name.dropFirst().dropLast(), as: UTF8.self)
            guard fields.updateValue(value, forKey: plain) == nil else { return nil }
        }
        func number(_ name: String) -> UInt64? {
            fields[name].flatMap { UInt64(String(decoding: $0, as: UTF8.self)) }
        }
        func string(_ name: String) -> String? { fields[name].flatMap(JSONMembers.plainString) }
        guard string("format") == "settee-conversion", number("version") == 1,
            let boot = string("boot"),
            let manifest = string("manifest"),
            let data = number("data"),
            let device = number("device"),
            let inode = number("inode"),
            let changeCounter = number("changeCounter"),
            let typeName = string("storageType"),
            let storageType = try? StorageType(typeName),
            let keySlots = fields["keySlots"].flatMap(JSONMembers.elements)
        else { return nil }
        let blobs = number("blobs")
        guard (blobs == nil) == (fields["blobs"] == nil) else { return nil }
        place = Place(
            boot: boot,
            manifest: manifest,
            data: data,
            folder: FileIdentity(device: device, inode: inode),
            blobs: blobs
        )
        note = ConversionNote(
            changeCounter: changeCounter,
            storageType: storageType,
            compression: string("compression"),
            keySlots: keySlots.map { Array($0) },
            encryption: fields["encryption"].map { Array($0) }
        )
        guard (code == nil) == (note.encryption == nil) else { return nil }
        sealedText = sealed
        self.code = code
        self.text = text
    }
}
