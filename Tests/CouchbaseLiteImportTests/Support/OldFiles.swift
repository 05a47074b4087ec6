import CSetteeSQLiteAPI
import Crypto
import CryptoExtras
import Foundation
import Settee
import SetteeProgramSupport
import SetteeSQLCipher
import SetteeSQLite
import StorageProtocol

/// Makes databases as Couchbase Lite 1.x did: the same tables, indexes, files and folders.
final class OldFiles {
    let folder: Folder
    let release: OldRelease
    let name: String
    let key: [UInt8]?
    private var connection: Connection?

    var url: URL { folder.url(release.path(name)) }
    var path: String { url.path }
    var file: String { folder.path(release.file(name)) }
    var attachments: String { folder.path(release.attachments(name)) }

    /// - Parameters:
    ///   - key: 32 bytes, for a file that SQLCipher encrypts.
    ///   - pageSize: nil: that of the release; of an encrypted file SQLCipher's.
    init(
        _ folder: Folder,
        _ release: OldRelease = .net140,
        name: String = "old",
        key: [UInt8]? = nil,
        pageSize: Int? = nil
    ) throws {
        self.folder = folder
        self.release = release
        self.name = name
        self.key = key
        for directory in [
            file.split(separator: "/").dropLast().joined(separator: "/"), String(attachments.dropFirst()),
        ] {
            try FileManager.default.createDirectory(atPath: "/" + directory, withIntermediateDirectories: true)
        }
        let library = try key == nil ? SQLiteLibrary.linked() : SQLCipherLibrary.loaded()
        let opened = try Connection(file, flags: sqlite_open_readwrite | sqlite_open_create, library: library)
        connection = opened
        if let key {
            try opened.setKey(key.span.bytes)
            try sql("PRAGMA cipher_page_size = \(pageSize ?? 1024)")
        } else {
            try sql("PRAGMA page_size = \(pageSize ?? release.pageSize)")
        }
        try makeTables()
    }

    func sql(_ text: String) throws { try connection?.execute(text) }

    private func makeTables() throws {
        let expiry = release.hasExpiry ? ", expiry_timestamp INTEGER" : ""
        let type = release.hasDocumentType ? ", doc_type TEXT" : ""
        var texts = [
            "CREATE TABLE docs (doc_id INTEGER PRIMARY KEY, docid TEXT UNIQUE NOT NULL\(expiry))",
            """
            CREATE TABLE revs (sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            doc_id INTEGER NOT NULL REFERENCES docs(doc_id) ON DELETE CASCADE, revid TEXT NOT NULL,
            parent INTEGER REFERENCES revs(sequence) ON DELETE SET NULL, current BOOLEAN, deleted BOOLEAN DEFAULT 0, json BLOB,
            no_attachments BOOLEAN\(type), UNIQUE (doc_id, revid))
            """,
            "CREATE TABLE localdocs (docid TEXT UNIQUE NOT NULL, revid TEXT NOT NULL, json BLOB)",
            """
            CREATE TABLE views (view_id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, version TEXT, lastsequence INTEGER DEFAULT 0,
            total_docs INTEGER DEFAULT -1)
            """,
            "CREATE TABLE info (key TEXT PRIMARY KEY, value TEXT)", "CREATE INDEX revs_parent ON revs(parent)",
            "CREATE INDEX revs_by_docid_revid ON revs(doc_id, revid desc, current, deleted)",
            "CREATE INDEX revs_current ON revs(doc_id, current desc, deleted, revid desc)",
        ]
        if release.hasRedundantIndexes {
            texts += ["CREATE INDEX docs_docid ON docs(docid)", "CREATE INDEX localdocs_by_docid ON localdocs(docid)"]
        }
        if release.hasExpiry {
            texts.append("CREATE INDEX docs_expiry ON docs(expiry_timestamp) WHERE expiry_timestamp not null")
        }
        if release.hasAttachmentTable {
            texts += [
                """
                CREATE TABLE attachments (sequence INTEGER NOT NULL REFERENCES revs(sequence) ON DELETE CASCADE, filename TEXT NOT NULL,
                key BLOB NOT NULL, type TEXT, length INTEGER NOT NULL, revpos INTEGER DEFAULT 0, encoding INTEGER DEFAULT 0,
                encoded_length INTEGER)
                """,
                "CREATE INDEX attachments_by_sequence ON attachments(sequence, filename)",
                "CREATE TABLE replicators (remote TEXT NOT NULL, push BOOLEAN, last_sequence TEXT, UNIQUE (remote, "
                    + "push))",
            ]
        }
        for text in texts { try sql(text) }
        try sql("PRAGMA user_version = \(release.userVersion)")
    }

    // MARK: - Content

    func document(_ number: Int, _ id: String, expiry: Int64? = nil) throws {
        let columns = expiry == nil ? "doc_id, docid" : "doc_id, docid, expiry_timestamp"
        let value = expiry.map { ", \($0)" } ?? ""
        try sql("INSERT INTO docs (\(columns)) VALUES (\(number), \(OldFiles.text(id))\(value))")
    }

    func revision(
        _ sequence: Int64,
        of document: Int,
        _ id: String,
        parent: Int64? = nil,
        current: Bool = true,
        deleted: Bool = false,
        _ json: String? = "{}"
    ) throws {
        try revision(
            sequence,
            of: document,
            id,
            parent: parent,
            current: current,
            deleted: deleted,
            bytes: json.map { Array($0.utf8) }
        )
    }

    func revision(
        _ sequence: Int64,
        of document: Int,
        _ id: String,
        parent: Int64? = nil,
        current: Bool = true,
        deleted: Bool = false,
        bytes: [UInt8]?
    ) throws {
        try sql(
            """
            INSERT INTO revs (sequence, doc_id, revid, parent, current, deleted, json) VALUES (\(sequence), \(document), \(OldFiles.text(id)),
            \(parent.map(String.init) ?? "NULL"), \(current ? 1 : 0), \(deleted ? 1 : 0), \(bytes.map(OldFiles.blob) ?? "NULL"))
            """
        )
    }

    func local(_ id: String, _ revision: String, _ json: String?) throws {
        let body = json.map { OldFiles.blob(Array($0.utf8)) } ?? "NULL"
        try sql("INSERT INTO localdocs VALUES (\(OldFiles.text(id)), \(OldFiles.text(revision)), \(body))")
    }

    func info(_ key: String, _ value: String) throws {
        try sql("INSERT INTO info VALUES (\(OldFiles.text(key)), \(OldFiles.text(value)))")
    }

    /// Stores a content in its place, and returns its entry for a body.
    @discardableResult
    func content(
        _ bytes: [UInt8],
        type: String = "text/plain",
        revpos: Int = 1,
        gzipOf length: Int? = nil,
        encryptedWith key: [UInt8]? = nil
    ) throws -> String {
        let digest = Array(Insecure.SHA1.hash(data: bytes))
        let digits = digest.map { String(format: "%02X", $0) }.joined()
        let stored = try key.map { try OldFiles.encrypt(bytes, $0) } ?? bytes
        try Data(stored).write(to: URL(filePath: attachments + "/" + release.blobName(digits)))
        let encoding = length == nil ? "" : #","encoding":"gzip","encoded_length":\#(bytes.count)"#
        return
            #"{"stub":true,"content_type":"\#(type)","digest":"sha1-\#(Data(digest).base64EncodedString())","length":\#(length ?? bytes.count),"revpos":\#(revpos)\#(encoding)}"#
    }

    /// A row of the table of 1.0.
    func attachment(_ name: String, of sequence: Int64, _ bytes: [UInt8], gzipOf length: Int? = nil) throws {
        let key = OldFiles.blob(Array(Insecure.SHA1.hash(data: bytes)))
        let encoding = length == nil ? "0, NULL" : "1, \(bytes.count)"
        try sql(
            "INSERT INTO attachments VALUES (\(sequence), \(OldFiles.text(name)), \(key), 'text/plain', "
                + "\(length ?? bytes.count), 1, \(encoding))"
        )
    }

    /// Finishes the database. Couchbase Lite's collation is only named now, since no connection here has it.
    func finish() throws {
        try sql("PRAGMA writable_schema = ON")
        try sql(
            "UPDATE sqlite_master SET sql = replace(sql, 'revid TEXT NOT NULL', 'revid TEXT NOT NULL COLLATE REVID') "
                + "WHERE type = 'table'"
        )
        try sql("PRAGMA writable_schema = OFF")
        close()
    }

    func close() {
        connection?.close()
        connection = nil
    }

    static func text(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }
    static func blob(_ bytes: [UInt8]) -> String { "x'" + bytes.map { String(format: "%02x", $0) }.joined() + "'" }

    static func encrypt(_ bytes: [UInt8], _ key: [UInt8]) throws -> [UInt8] {
        let iv = (0..<16).map { _ in UInt8.random(in: 0...255) }
        let sealed = try AES._CBC.encrypt(bytes, using: SymmetricKey(data: key), iv: AES._CBC.IV(ivBytes: iv))
        return iv + Array(sealed)
    }
}
