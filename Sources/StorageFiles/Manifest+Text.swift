internal import Crypto
internal import StorageProtocol

extension Manifest {
    private static let codeMember = Array(#","mac":""#.utf8)
    private static let checksumMember = Array(#","checksum":""#.utf8)
    private static let ending = Array("\"}\n".utf8)
    /// The length of a checksum, and of a MAC.
    private static let digits = 64
    /// The maximum size of a manifest. A larger file is not a manifest.
    static let largestSize = 1 << 20

    /// Returns the text as it is stored on disk.
    ///
    /// - Parameter seal: Makes the MAC of an encrypted database.
    package func encoded(sealedBy seal: (any ManifestSealing)? = nil) -> [UInt8] {
        var text = Array(#"{"format":"settee""#.utf8)
        func add(_ name: String, _ value: [UInt8]) {
            text += Array(",\"\(name)\":".utf8)
            text += value
        }
        add("formatVersion", Array(String(formatVersion).utf8))
        add("minReader", Array(String(minReader).utf8))
        add("minWriter", Array(String(minWriter).utf8))
        add("serial", Array(String(serial).utf8))
        add("storageType", Array("\"\(storageType.name)\"".utf8))
        add("dataGeneration", Array(String(dataGeneration).utf8))
        add("blobGeneration", Array(String(blobGeneration).utf8))
        add("databaseUUID", Array("\"\(databaseUUID)\"".utf8))
        add("keySlots", Array("[".utf8) + Array(keySlots.joined(separator: Array(",".utf8))) + Array("]".utf8))
        if let encryption { add("encryption", encryption) }
        for member in unknown {
            text.append(UInt8(ascii: ","))
            text += member.name + [UInt8(ascii: ":")] + member.value
        }
        return Manifest.finished(text, sealedBy: seal)
    }

    /// Returns an object that lacks its end, completed with MAC and checksum.
    static func finished(_ text: [UInt8], sealedBy seal: (any ManifestSealing)?) -> [UInt8] {
        var text = text
        if let seal { text += Manifest.codeMember + seal.code(of: text[...]) + [UInt8(ascii: "\"")] }
        return text + Manifest.checksumMember + Manifest.checksum(text[...]) + Manifest.ending
    }

    /// Decodes the members.
    ///
    /// - Parameter text: The object up to the MAC or the checksum.
    static func decode(_ text: ArraySlice<UInt8>) -> Manifest? {
        guard let members = JSONMembers.scan(text + [UInt8(ascii: "}")]) else { return nil }
        var fields: [String: ArraySlice<UInt8>] = [:]
        var unknown: [Member] = []
        for (name, value) in members {
            // Known names are written without escapes; a name with escapes is unknown and kept.
            let plain = String(decoding: name.dropFirst().dropLast(), as: UTF8.self)
            if known.contains(plain) {
                guard fields.updateValue(value, forKey: plain) == nil else { return nil }
            } else {
                unknown.append(Member(name: Array(name), value: Array(value)))
            }
        }
        func number(_ name: String) -> UInt64? {
            fields[name].flatMap { UInt64(String(decoding: $0, as: UTF8.self)) }
        }
        func string(_ name: String) -> String? { fields[name].flatMap(JSONMembers.plainString) }
        guard string("format") == "settee",
            let formatVersion = number("formatVersion"),
            let minReader = number("minReader"),
            let minWriter = number("minWriter"),
            let serial = number("serial"),
            let typeName = string("storageType"),
            let storageType = try? StorageType(typeName),
            let dataGeneration = number("dataGeneration"),
            let blobGeneration = number("blobGeneration"),
            let databaseUUID = string("databaseUUID"),
            let keySlots = fields["keySlots"].flatMap(JSONMembers.elements)
        else { return nil }
        // These are the last members, and have already been cut off.
        guard fields["mac"] == nil, fields["checksum"] == nil else { return nil }
        var manifest = Manifest(
            serial: serial,
            storageType: storageType,
            dataGeneration: dataGeneration,
            blobGeneration: blobGeneration,
            databaseUUID: databaseUUID
        )
        manifest.formatVersion = formatVersion
        manifest.minReader = minReader
        manifest.minWriter = minWriter
        manifest.keySlots = keySlots.map { Array($0) }
        manifest.encryption = fields["encryption"].map { Array($0) }
        manifest.unknown = unknown
        return manifest
    }

    private static let known: Set<String> = [
        "format", "formatVersion", "minReader", "minWriter", "serial", "storageType", "dataGeneration",
        "blobGeneration", "databaseUUID", "keySlots", "encryption", "mac", "checksum",
    ]

    /// Returns the bytes before the checksum, or nil if it is missing or does not match.
    static func checkedPart(_ bytes: [UInt8]) -> ArraySlice<UInt8>? {
        let tail = checksumMember.count + digits + ending.count
        guard bytes.count > tail, bytes.count <= largestSize else { return nil }
        let text = bytes[..<(bytes.count - tail)]
        guard Array(bytes[text.endIndex...]) == checksumMember + checksum(text) + ending else { return nil }
        return text
    }

    /// Returns the bytes that a MAC covers, and its digits; or all bytes and nil if there is none. It is found by its
    /// position, because other members may contain something that looks like one.
    static func sealedPart(_ text: ArraySlice<UInt8>) -> (text: ArraySlice<UInt8>, code: ArraySlice<UInt8>?) {
        let tail = codeMember.count + digits + 1
        guard text.count > tail, text.last == UInt8(ascii: "\"") else { return (text, nil) }
        let start = text.endIndex - tail
        let code = text[(start + codeMember.count)..<(text.endIndex - 1)]
        guard text[start...].starts(with: codeMember), code.allSatisfy(Hexadecimal.isDigit) else { return (text, nil) }
        return (text[..<start], code)
    }

    private static func checksum(_ text: ArraySlice<UInt8>) -> [UInt8] { Hexadecimal.text(SHA256.hash(data: text)) }
}
