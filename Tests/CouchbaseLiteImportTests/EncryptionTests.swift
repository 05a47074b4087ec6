import Foundation
import Settee
import SetteeEncryption
import SetteeProgramSupport
import StorageProtocol
import Testing

/// Encrypted databases, made with SQLCipher and the keys that Couchbase Lite derived.
@Suite struct EncryptionTests {
    let folder: Folder
    let source: Folder

    init() throws {
        folder = try Folder()
        source = try Folder()
    }

    static let passphrase = "letmein"

    /// The derivations of iOS, Java and Android, and of .NET.
    static let derived: [[UInt8]] = [
        hex("6a9bd780221f4fe8a594fc728a94ba633b882983fe5613db427bb61242bfef0f"),
        hex("c66c9a3d66dfa2f8b9420b0379fd1b80928d8d74501e12dd5bc453a7a9a748ab"),
    ]

    static func hex(_ text: String) -> [UInt8] {
        let digits = Array(text.utf8)
        return stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
    }

    /// A database with contents of many lengths: padding errors show at whole blocks and at whole pieces.
    private func made(_ key: [UInt8], pageSize: Int = 1024, marker: String? = "AES") throws -> (OldFiles, [[UInt8]]) {
        let old = try OldFiles(source, .iOS141, key: key, pageSize: pageSize)
        var contents: [[UInt8]] = []
        for (number, length) in [0, 1, 15, 16, 17, 4096, 1 << 18, (1 << 18) - 16, (1 << 18) - 32, 300_000].enumerated()
        {
            let content = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) }
            contents.append(content)
            let entry = try old.content(content, encryptedWith: marker == nil ? nil : key)
            try old.document(number + 1, "doc\(number)")
            try old.revision(
                Int64(number + 1),
                of: number + 1,
                "1-x",
                #"{"_attachments":{"c":\#(entry)},"secret":"marker"}"#
            )
        }
        if let marker { try Data(marker.utf8).write(to: URL(filePath: old.attachments + "/_encryption")) }
        try old.finish()
        return (old, contents)
    }

    private func key(_ bytes: [UInt8]) throws -> StorageKey { try StorageKey(bytes: bytes.span.bytes) }

    @Test("A passphrase opens what either platform derived from it; a raw key is used as it is", arguments: 0...2)
    func opened(_ kind: Int) throws {
        let raw = EncryptionTests.derived[kind % 2]
        let (old, contents) = try made(raw, pageSize: kind == 1 ? 4096 : 1024)
        let given = kind < 2 ? try StorageKey(passphrase: EncryptionTests.passphrase) : try key(raw)
        for (options, decrypt) in [(try encryptedTarget(), false), (targets[0], true), (targets[1], true)] {
            let (database, report) = try imported(
                old.url,
                watching: source.path,
                in: folder,
                key: given,
                options: options,
                decrypt: decrypt
            )
            #expect(report.problems == [])
            #expect(report.wasEncrypted)
            for (number, content) in contents.enumerated() {
                #expect(try database.content("doc\(number)", "c") == content)
            }
            try database.close()
        }
    }

    @Test("Wrong keys, missing keys and a missing `decrypt` give different errors, and make nothing")
    func refused() throws {
        let (old, _) = try made(EncryptionTests.derived[0])
        let target = folder.url("new")
        let wrong = try key([UInt8](repeating: 1, count: 32))
        #expect(throws: StorageError.self) { try CouchbaseLiteImport(of: old.url) }
        let without = #expect(throws: StorageError.self) { try CouchbaseLiteImport(of: old.url) }
        #expect(without?.code == .unauthorized)
        for given in [wrong, try StorageKey(passphrase: "another")] {
            let error = #expect(throws: StorageError.self) {
                _ = try CouchbaseLiteImport(of: old.url, key: given).run(to: target, decrypt: true)
            }
            #expect(error?.code == .unauthorized)
        }
        let right = try key(EncryptionTests.derived[0])
        let plain = #expect(throws: StorageError.self) {
            _ = try CouchbaseLiteImport(of: old.url, key: right).run(to: target)
        }
        #expect(plain?.code == .badRequest)
        // Without the right key, the error does not say what else is missing.
        let refused = #expect(throws: StorageError.self) {
            _ = try CouchbaseLiteImport(of: old.url, key: wrong).run(to: target)
        }
        #expect(refused?.code == .unauthorized)
        let unneeded = try OldFiles(source, .net140, name: "plain")
        try unneeded.finish()
        let needless = #expect(throws: StorageError.self) {
            _ = try CouchbaseLiteImport(of: unneeded.url, key: right).run(to: target, decrypt: true)
        }
        #expect(needless?.code == .badParameter)
        #expect(try folder.entries() == [])
    }

    @Test("Contents are read, encrypted or plain, whatever the marker says", arguments: [nil, "AES", "?"] as [String?])
    func markers(_ marker: String?) throws {
        let raw = EncryptionTests.derived[0]
        let old = try OldFiles(source, .iOS141, key: raw)
        let entries = try [
            old.content(Array("encrypted".utf8), encryptedWith: raw), old.content(Array("plain".utf8)),
        ]
        try old.document(1, "d")
        try old.revision(1, of: 1, "1-x", #"{"_attachments":{"e":\#(entries[0]),"p":\#(entries[1])}}"#)
        if let marker { try Data(marker.utf8).write(to: URL(filePath: old.attachments + "/_encryption")) }
        try old.finish()
        let (database, report) = try imported(old.url, watching: source.path, in: folder, key: key(raw), decrypt: true)
        #expect(report.problems == [])
        #expect(try database.content("d", "e") == Array("encrypted".utf8))
        #expect(try database.content("d", "p") == Array("plain".utf8))
        try database.close()
    }

    @Test("Damaged contents are listed, and the others imported")
    func damagedContents() throws {
        let raw = EncryptionTests.derived[1]
        let (old, contents) = try made(raw)
        let names = try FileManager.default.contentsOfDirectory(atPath: old.attachments).filter {
            $0.hasSuffix(".blob")
        }
        .sorted()
        for (number, name) in names.prefix(5).enumerated() {
            let url = URL(filePath: old.attachments + "/" + name)
            var bytes = Array(try Data(contentsOf: url))
            switch number {
            case 0: bytes[bytes.count - 1] ^= 1
            case 1: bytes.removeLast()
            case 2: bytes = []
            case 3: bytes = Array(bytes.prefix(16))
            default: bytes[0] ^= 1
            }
            try Data(bytes).write(to: url)
        }
        let (database, report) = try imported(old.url, watching: source.path, in: folder, key: key(raw), decrypt: true)
        #expect(report.problems.count == 5)
        #expect(report.documents == contents.count)
        #expect(report.attachments == contents.count - 5)
        var whole = 0
        for number in contents.indices {
            guard let found = try database.content("doc\(number)", "c") else { continue }
            #expect(found == contents[number])
            whole += 1
        }
        #expect(whole == contents.count - 5)
        try database.close()
    }

    @Test("A changed page loses what is on it, and is not taken for a wrong key")
    func damagedPages() throws {
        let raw = EncryptionTests.derived[0]
        let old = try OldFiles(source, .iOS141, key: raw)
        for number in 1...200 {
            try old.document(number, "doc\(number)")
            try old.revision(Int64(number), of: number, "1-x", #"{"text":"\#(String(repeating: "x", count: 200))"}"#)
        }
        try old.finish()
        var bytes = Array(try Data(contentsOf: URL(filePath: old.file)))
        for page in [20, 40] { bytes[page * 1024 + 300] ^= 1 }
        try Data(bytes).write(to: URL(filePath: old.file))
        let (database, report) = try imported(old.url, watching: source.path, in: folder, key: key(raw), decrypt: true)
        #expect(!report.isComplete)
        #expect(report.documents > 150)
        #expect(report.documents + report.failed >= 199)
        try database.close()
    }

    @Test("A truncated encrypted file is not taken for a wrong key")
    func cutOff() throws {
        let raw = EncryptionTests.derived[0]
        let old = try OldFiles(source, .iOS141, key: raw)
        for number in 1...200 {
            try old.document(number, "doc\(number)")
            try old.revision(Int64(number), of: number, "1-x", #"{"text":"\#(String(repeating: "x", count: 200))"}"#)
        }
        try old.finish()
        let whole = try Data(contentsOf: URL(filePath: old.file))
        for length in [whole.count - 700, whole.count / 2, 12_000] {
            try whole.prefix(length).write(to: URL(filePath: old.file))
            do {
                let report = try CouchbaseLiteImport(of: old.url, key: key(raw))
                    .run(to: folder.url("new-\(length)"), decrypt: true)
                // The last page may belong to an index, and hold no documents.
                #expect(!report.isComplete || report.documents == 200)
            } catch {
                #expect((error as? StorageError)?.code == .corrupt)
            }
        }
    }

    @Test("A decryptor returns what was encrypted, however its input is split", arguments: [1, 7, 16, 33, 1000])
    func pieces(_ length: Int) throws {
        let raw = [UInt8](repeating: 9, count: 32)
        for count in [0, 1, 16, 31, 32, 100] {
            let content = (0..<count).map { UInt8($0) }
            let file = try OldFiles.encrypt(content, raw)
            var decryptor = try LegacyBlobDecryptor(key: key(raw))
            var found: [UInt8] = []
            for start in stride(from: 0, to: file.count, by: length) {
                found += try decryptor.decrypt(Array(file[start..<min(start + length, file.count)]))
            }
            #expect(try found + decryptor.finish() == content)
        }
    }
}
