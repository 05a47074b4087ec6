public import Settee
internal import StorageProtocol

extension LoadDescription {
    /// How many documents are looked at.
    private static let sampled = 2000
    /// Larger ones are measured as contents of this size.
    private static let largestAttachment = 1 << 28

    /// Takes the number and size of documents, attachments and encryption from a database. How often which operation is
    /// done is not in a database: the shares are those of `init`, with queries in the place of a fourth of the reads
    /// if there are views.
    ///
    /// - Throws: `notOpen` (503), `corrupt` (591), `storage` (590).
    /// - Complexity: O(documents), without their bodies but for two thousand.
    public init(like database: Database) throws {
        self.init()
        let statistics = try database.statistics()
        documents = max(1, Int(statistics.documentCount))
        durability = database.durability
        isEncrypted = statistics.isEncrypted
        let lines = try LoadDescription.sample(of: database, every: 1 + (documents - 1) / LoadDescription.sampled)
        guard !lines.isEmpty else { return }
        documentBytes = max(1, lines.reduce(0) { $0 + $1.count } / lines.count)
        var (attachmentsSeen, attachmentsBytes) = (0, UInt64(0))
        let bodies = try lines.map { line in
            guard case .object(let object) = try JSONValue(parsing: line) else { return line }
            for case .object(let stubs)? in [object["_attachments"]] {
                for (_, stub) in stubs {
                    guard case .object(let entry) = stub, case .int(let length)? = entry["length"], length >= 0 else {
                        continue
                    }
                    attachmentsSeen += 1
                    attachmentsBytes = attachmentsBytes.addingReportingOverflow(UInt64(length)).partialValue
                }
            }
            return try JSONObject(object.filter { !$0.key.hasPrefix("_") }.map { ($0.key, $0.value) }).canonicalBytes()
        }
        source = .own(name: "documents of the database", lines: bodies)
        if attachmentsSeen > 0 {
            let average = Int(attachmentsBytes / UInt64(attachmentsSeen))
            attachmentBytes = min(max(1, average), LoadDescription.largestAttachment)
            shares[.attach] = 10 * Double(attachmentsSeen) / Double(lines.count)
        }
        let places = IndexedPlaces(of: bodies)
        if try !database.viewNames().isEmpty, places.number != nil || places.group != nil {
            shares[.query] = 20
            shares[.read] = 60
        }
    }

    /// Returns the bodies of documents at even distances.
    private static func sample(of database: Database, every step: Int) throws -> [[UInt8]] {
        try database.read { snapshot in
            var ids: [DocumentID] = []
            var number = 0
            try snapshot.forEachDocument(DocumentQuery()) { (row) throws(StorageError) in
                if number % step == 0 { ids.append(try row.documentID()) }
                number += 1
                return true
            }
            return try ids.prefix(sampled).compactMap { try snapshot.json(of: $0) }
        }
    }
}
