internal import HTTPTypes
internal import Settee
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// Databases with keys.
@Suite struct EncryptedDatabaseTests {
    private func key(_ byte: UInt8) throws -> StorageKey {
        let bytes: [UInt8] = (0..<32).map { byte &+ $0 &* 7 }
        return try unsafe StorageKey(bytes: bytes.span.bytes)
    }

    /// Makes a database that is not open afterwards.
    private func make(_ name: String, key: StorageKey?, in bed: ListenerBed) throws {
        let options = DatabaseOptions(storageType: key == nil ? .sqlite : .sqlcipher, key: key)
        let database = try bed.manager.database(named: name, options: options)
        try database["a"].put(["n": 1])
        try database.close()
    }

    @Test("one key opens all of its databases; others are refused with the reason, and the rest is served")
    func opening() async throws {
        let bed = try ListenerBed(.sqlite, keys: DatabaseKeys(existing: key(1)))
        try make("plain", key: nil, in: bed)
        try make("secret", key: key(1), in: bed)
        try make("other", key: key(2), in: bed)
        #expect(try await bed.send(.get, "/plain/a").object()["n"]?.intValue == 1)
        #expect(try await bed.send(.get, "/secret/a").object()["n"]?.intValue == 1)
        for _ in 0..<2 {
            let refused = try await bed.send(.get, "/other/a")
            #expect(refused.status == 403)
            #expect(try refused.object()["reason"]?.stringValue?.contains("encrypted") == true)
        }
        #expect(try await bed.send(.put, "/other").status == 412)
        let infos = try await bed.send(.post, "/_dbs_info", #"{"keys":["secret","other"]}"#).json().arrayValue
        #expect(infos?.first?.objectValue?["info"] != nil)
        #expect(infos?.last?.objectValue?["error"]?.stringValue == "forbidden")
        // A new one would not be encrypted.
        #expect(try await bed.send(.put, "/new").status == 403)
        #expect(try await bed.send(.get, "/_all_dbs").json().arrayValue?.count == 4)
        try bed.close()
    }

    @Test("without a key, encrypted databases are refused, and new ones are made")
    func noKey() async throws {
        let bed = try ListenerBed(.sqlite)
        try make("secret", key: key(1), in: bed)
        #expect(try await bed.send(.get, "/secret").status == 403)
        #expect(try await bed.send(.put, "/new").status == 201)
        try bed.close()
    }

    @Test("a key for new databases encrypts them, and opens them later")
    func newDatabases() async throws {
        let bed = try ListenerBed(.sqlite, keys: DatabaseKeys(existing: key(1), new: key(2)))
        try make("secret", key: key(1), in: bed)
        #expect(try await bed.send(.put, "/new").status == 201)
        #expect(try await bed.send(.put, "/new/a", "{}").status == 201)
        let database = try #require(try bed.manager.existingDatabase(named: "new", options: .init(key: key(2))))
        #expect(try database.statistics().isEncrypted)
        try database.close()
        #expect(try await bed.send(.get, "/new/a").status == 200)
        #expect(try await bed.send(.get, "/secret/a").status == 200)
        try bed.close()
    }
}
