import Foundation
import SetteeProgramSupport
import Testing

/// Keys with markers in them.
enum TestKey {
    static let digits = String(repeating: "c0ffee0123456789", count: 4)
    static let raw = "hex:" + digits
    static let other = "hex:" + String(repeating: "0f1e", count: 16)
    /// The bytes of `other`.
    static let otherBytes: [UInt8] = (0..<32).map { $0.isMultiple(of: 2) ? 0x0F : 0x1E }
    static let bytes = [UInt8](
        repeating: 0,
        count: 4
    ).flatMap { _ in [0xC0, 0xFF, 0xEE, 0x01, 0x23, 0x45, 0x67, 0x89] as [UInt8] }
    static let passphrase = "the passphrase of nobody"
}

extension Folder {
    /// A file that only its owner may read.
    @discardableResult
    func keyFile(
        _ name: String = "key",
        _ content: [UInt8] = Array(TestKey.raw.utf8),
        mode: Int = 0o600
    ) throws -> String {
        try Data(content).write(to: url(name))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
        return path(name)
    }

    func keyFile(_ name: String, _ text: String) throws -> String { try keyFile(name, Array(text.utf8)) }

    /// An encrypted database with the raw key and one document of the ID `a`.
    func encrypted(_ name: String = "db", key: String = TestKey.raw) throws -> String {
        let environment = ["SETTEE_KEY": key]
        #expect(try Program.run("create", path(name), environment: environment).status == 0)
        #expect(try Program.run("put", path(name), "a", #"{"x":"marker"}"#, environment: environment).status == 0)
        return path(name)
    }

    /// All files under a name with contents and times.
    func state(_ name: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: path(name)).sorted().map { entry in
            let path = path(name) + "/" + entry
            let facts = try FileManager.default.attributesOfItem(atPath: path)
            let content = FileManager.default.contents(atPath: path) ?? Data()
            let changed = (facts[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
            return "\(entry) \(changed) \(content.count) \(content.base64EncodedString().hashValue)"
        }
    }

    /// The kind of key that a database was made with.
    func keyKind(_ name: String) throws -> String? {
        let manifest = String(decoding: try bytes(name + "/manifest.json"), as: UTF8.self)
        return ["raw", "scrypt"].first { manifest.contains("kdf\":\"" + $0) || manifest.contains("kdf\\\":\\\"" + $0) }
    }
}
