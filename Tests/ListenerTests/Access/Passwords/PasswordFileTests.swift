internal import Foundation
internal import SetteeCouchProtocol
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

@Suite struct PasswordFileTests {
    @Test func readsLines() throws {
        let file = try UsersFile([
            "", try UsersFile.entry("ida", "a"), "  \t\r", try UsersFile.entry("rob", "b", ["reader", "sales"]), "",
        ])
        let entries = try PasswordFile(file.path).entries()
        #expect(entries.byName.count == 2 && entries.byName["rob"]?.roles == ["reader", "sales"])
        #expect(entries.dearest == .least)
        _ = try ListenerUsers.file(file.path)
    }

    @Test(arguments: [0o640, 0o604, 0o660, 0o644, 0o666, 0o777, 0o601, 0o620])
    func refusesLaxModes(mode: Int) throws {
        let file = try UsersFile([try UsersFile.entry("ida", "a")], mode: mode)
        let error = refusal(file.path)
        #expect(error?.code == .fileSystem && error?.message.contains("chmod 600") == true)
    }

    @Test(arguments: [0o600, 0o400]) func takesPrivateModes(mode: Int) throws {
        let file = try UsersFile([try UsersFile.entry("ida", "a")], mode: mode)
        #expect(refusal(file.path) == nil)
    }

    @Test func doesNotFollowLinks() throws {
        let file = try UsersFile([try UsersFile.entry("ida", "a")])
        let link = file.folder + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file.path)
        let error = refusal(link)
        #expect(error?.code == .fileSystem && error?.message.contains("is a link") == true)
    }

    /// Neither a folder nor a pipe without a writer may be read, or waited for.
    @Test func refusesWhatIsNoFile() throws {
        let file = try UsersFile()
        #expect(refusal(file.folder)?.code == .fileSystem)
        let pipe = file.folder + "/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        #expect(refusal(pipe)?.message.contains("no regular file") == true)
        #expect(refusal(file.folder + "/none")?.code == .fileSystem)
        #expect(refusal("/dev/null")?.code == .fileSystem)
    }

    static let damaged: [String] = [
        "{", "[]", "1", "null", "\u{feff}{}", "{}", "ida:secret",
        #"{"name":"ida","roles":[],"scrypt":{"n":16384,"r":8,"p":1,"salt":"AAAAAAAAAAA=","hash":"AAAA"}}"#,
        #"{"name":"ida","roles":[],"scrypt":{"n":16384,"r":8,"p":1,"salt":"AAAA","hash":"HASH"}}"#,
        #"{"name":"ida","roles":[],"scrypt":{"n":16384,"r":8,"p":1,"salt":"","hash":"HASH"}}"#,
        #"{"name":"ida","roles":[],"scrypt":{"n":1099511627776,"r":8,"p":1,"salt":"SALT","hash":"HASH"}}"#,
        #"{"name":"ida","roles":[],"scrypt":{"n":1e300,"r":8,"p":1,"salt":"SALT","hash":"HASH"}}"#,
        #"{"name":"ida","roles":[],"scrypt":{"n":18446744073709551615,"r":8,"p":1,"salt":"SALT","hash":"HASH"}}"#,
        #"{"name":"ida","roles":[],"scrypt":{"n":-16384,"r":8,"p":1,"salt":"SALT","hash":"HASH"}}"#,
        #"{"name":"ida","roles":[],"scrypt":{"n":16384,"r":4096,"p":1,"salt":"SALT","hash":"HASH"}}"#,
        #"{"name":"ida","roles":[],"scrypt":{"n":16384,"r":8,"p":1073741823,"salt":"SALT","hash":"HASH"}}"#,
        #"{"name":"ida","roles":[],"scrypt":{"n":"16384","r":8,"p":1,"salt":"SALT","hash":"HASH"}}"#,
        #"{"name":"ida","roles":"writer","scrypt":{"n":16384,"r":8,"p":1,"salt":"SALT","hash":"HASH"}}"#,
        #"{"name":"ida","roles":[1],"scrypt":{"n":16384,"r":8,"p":1,"salt":"SALT","hash":"HASH"}}"#,
        #"{"name":"","roles":[],"scrypt":{"n":16384,"r":8,"p":1,"salt":"SALT","hash":"HASH"}}"#,
        #"{"name":"a:b","roles":[],"scrypt":{"n":16384,"r":8,"p":1,"salt":"SALT","hash":"HASH"}}"#,
        #"{"roles":[],"scrypt":{"n":16384,"r":8,"p":1,"salt":"SALT","hash":"HASH"}}"#,
        #"{"name":"ida","roles":[],"scrypt":{"n":16384,"r":8,"p":1,"salt":"SALT","hash":"!!!!"}}"#,
        String(repeating: "[", count: 100_000),
    ].map {
        $0.replacingOccurrences(of: "SALT", with: Data(count: 16).base64EncodedString())
            .replacingOccurrences(of: "HASH", with: Data(count: 32).base64EncodedString())
    }

    @Test(arguments: damaged) func refusesDamagedEntries(line: String) throws {
        let file = try UsersFile([try UsersFile.entry("rob", "a"), line])
        let error = refusal(file.path)
        #expect(error?.code == .badParameter && error?.message.contains("Line 2 ") == true)
        // The line may hold what nobody should read.
        #expect(error?.message.contains("secret") == false && error?.message.contains("16384") == false)
    }

    @Test func refusesUsersThatAreThereTwice() throws {
        let file = try UsersFile([try UsersFile.entry("ida", "a"), try UsersFile.entry("ida", "b")])
        #expect(refusal(file.path)?.message.contains("names a user again") == true)
        // Names are bytes: these are two.
        try file.write([try UsersFile.entry("\u{e9}", "a"), try UsersFile.entry("e\u{301}", "b")])
        #expect(refusal(file.path) == nil)
    }

    @Test func boundsWhatItReads() throws {
        let file = try UsersFile()
        try file.write(bytes: [UInt8](repeating: 0x20, count: (4 << 20) + 1))
        #expect(refusal(file.path)?.code == .tooLarge)
        try file.write(bytes: [UInt8](repeating: 0x20, count: 4 << 20))
        #expect(refusal(file.path) == nil)
        let line = try UsersFile.entry("NAME", "a", [])
        let many = { (count: Int) in
            (0..<count).map { line.replacingOccurrences(of: "NAME", with: "u\($0)") }
        }
        try file.write(many(10_001))
        #expect(refusal(file.path)?.code == .tooLarge)
        try file.write(many(10_000))
        #expect(try PasswordFile(file.path).entries().byName.count == 10_000)
    }

    @Test func isReadAgainWhenItHasChanged() throws {
        let file = try UsersFile([try UsersFile.entry("ida", "a")])
        let users = PasswordFile(file.path)
        #expect(try users.entries().byName.count == 1)
        try file.write([try UsersFile.entry("ida", "a"), try UsersFile.entry("rob", "b")])
        #expect(try users.entries().byName.count == 2)
        // In the same file, with the same length.
        let handle = try #require(FileHandle(forWritingAtPath: file.path))
        let old = try #require(FileManager.default.contents(atPath: file.path))
        let text = String(decoding: old, as: UTF8.self).replacingOccurrences(of: "\"rob\"", with: "\"bob\"")
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
        #expect(try users.entries().byName["bob"] != nil)
        // What is open to others no longer counts, nor does what is damaged or gone.
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        #expect(throws: StorageError.self) { try users.entries() }
        try file.write(["{"])
        #expect(throws: StorageError.self) { try users.entries() }
        try FileManager.default.removeItem(atPath: file.path)
        #expect(throws: StorageError.self) { try users.entries() }
        try file.write([try UsersFile.entry("ida", "a")])
        #expect(try users.entries().byName.count == 1)
    }

    /// A file that was written just now may change again within one tick of the file system's clock.
    @Test func doesNotTrustTheStampOfAFreshFile() throws {
        let file = try UsersFile([try UsersFile.entry("ida", "a")])
        let descriptor = open(file.path, O_RDONLY)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let stamp = try FileStamp(descriptor, file.path)
        #expect(!stamp.isSettled)
        #expect(try stamp == FileStamp(descriptor, file.path))
    }

    private func refusal(_ path: String) -> StorageError? {
        do throws(StorageError) {
            _ = try PasswordFile(path).entries()
            return nil
        } catch {
            return error
        }
    }
}
