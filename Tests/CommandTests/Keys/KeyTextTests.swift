import Foundation
import Settee
import SetteeProgramSupport
import SetteeSystemLibrary
import Testing

/// What the text of a key means, and which texts are not keys.
@Suite("Key texts")
struct KeyTextTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    @Test("A raw key is 32 bytes, or `hex:` and its digits")
    func raw() throws {
        let db = try folder.encrypted()
        #expect(try folder.keyKind("db") == "raw")
        let forms: [[UInt8]] = [
            Array((TestKey.raw + "\n").utf8), Array((TestKey.raw + "\r\n").utf8), TestKey.bytes,
            Array(("hex:" + TestKey.digits.uppercased()).utf8),
        ]
        for (number, form) in forms.enumerated() {
            let key = try folder.keyFile("key\(number)", form)
            #expect(try Program.run("ls", db, "--key-file", key).status == 0, "form \(number)")
        }
        // A last byte that only looks like a line feed is part of a raw key.
        let odd = try folder.keyFile("odd", [UInt8](repeating: 1, count: 31) + [10])
        #expect(try Program.run("create", folder.path("odd-db"), "--key-file", odd).status == 0)
        let digits = String(repeating: "01", count: 31) + "0a"
        let hex = try folder.keyFile("hex", "hex:" + digits)
        #expect(try Program.run("ls", folder.path("odd-db"), "--key-file", hex).status == 0)
    }

    @Test("A passphrase is a file's content without one line end, or a variable's value")
    func passphrase() throws {
        let db = try folder.encrypted(key: TestKey.passphrase)
        #expect(try folder.keyKind("db") == "scrypt")
        for (number, end) in ["", "\n", "\r\n"].enumerated() {
            let key = try folder.keyFile("key\(number)", TestKey.passphrase + end)
            #expect(try Program.run("ls", db, "--key-file", key).status == 0, "end \(number)")
        }
        for end in ["\n\n", " ", "\r"] {
            let key = try folder.keyFile("key", TestKey.passphrase + end)
            #expect(try Program.run("ls", db, "--key-file", key, "--json").error().status == 401)
        }
    }

    @Test(
        "32 or 64 characters are a passphrase",
        arguments: [
            String(repeating: "p ", count: 16), String(repeating: "p ", count: 15) + "p\n",
            String(repeating: "p ", count: 15) + "\r\n",
            String(repeating: "z", count: 64),
            String(repeating: "é", count: 16) + "\n", "0x1234", "hex", "Hex: a tale of digits", "ünicode, no ASCII",
        ]
    )
    func passphrases(_ text: String) throws {
        let key = try folder.keyFile("key", text)
        let outcome = try Program.run("create", folder.path("db"), "--key-file", key)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try folder.keyKind("db") == "scrypt")
    }

    static let bareDigits = String(repeating: "c0ffee01", count: 8)

    static let noKeys: [(name: String, content: [UInt8], status: Int64)] = [
        ("nothing", [], 495), ("a line end", [10], 495), ("carriage return and line feed", [13, 10], 495),
        ("digits", Array(bareDigits.utf8), 495), ("digits, line feed", Array((bareDigits + "\n").utf8), 495),
        ("digits, two line feeds", Array((bareDigits + "\n\n").utf8), 495),
        ("0x", Array(("0x" + bareDigits).utf8), 495),
        ("HEX:", Array(("HEX:" + bareDigits).utf8), 495), ("space before", Array((" hex:" + bareDigits).utf8), 495),
        ("hex: alone", Array("hex:".utf8), 495), ("one digit less", Array(("hex:" + bareDigits.dropLast()).utf8), 495),
        ("one digit more", Array(("hex:" + bareDigits + "0").utf8), 495),
        ("two lines", Array(("hex:" + bareDigits + "\n\n").utf8), 495),
        ("no digit", Array(("hex:" + bareDigits.dropLast() + "g").utf8), 495),
        ("32 bytes of text", Array(String(repeating: "é", count: 16).utf8), 495),
        ("not UTF-8", [0x63, 0x30, 0xFF, 0xFE, 0x63], 490), ("byte order mark", [0xEF, 0xBB, 0xBF, 0x63], 495),
        ("a zero byte", [0x63, 0, 0x63], 495), ("UTF-16", [0xFF, 0xFE, 0x63, 0, 0x30, 0], 490),
        ("33 bytes", TestKey.bytes + [0xC0], 490), ("31 bytes", Array(TestKey.bytes.dropLast()), 490),
        ("too long", [UInt8](repeating: 0x7A, count: 65537), 495),
        ("far too long", [UInt8](repeating: 0x7A, count: 1 << 20), 495),
    ]

    @Test("Invalid or ambiguous keys are refused without quoting them", arguments: noKeys.indices)
    func refused(_ index: Int) throws {
        let (name, content, status) = KeyTextTests.noKeys[index]
        let key = try folder.keyFile("key", content)
        let outcome = try Program.run("create", folder.path("db"), "--key-file", key, "--json")
        #expect(outcome.status == 1, "\(name)")
        #expect(try outcome.error().status == status, "\(name): \(outcome.errors)")
        for secret in ["c0ffee", "zzzz", "éé"] { #expect(!outcome.errors.contains(secret), "\(name)") }
        #expect(try folder.entries() == ["key"])
    }

    @Test("A variable follows the same rules", arguments: ["", bareDigits, "hex:12", TestKey.raw + "\n"])
    func variables(_ text: String) throws {
        for name in ["SETTEE_KEY", "SETTEE_NEW_KEY"] {
            let outcome = try Program.run("create", folder.path("db"), "--json", environment: [name: text])
            #expect(try outcome.error().status == 495)
            #expect(try outcome.error().message?.contains(name) == true)
            #expect(!outcome.errors.contains("c0ffee"))
        }
        #expect(try folder.entries() == [])
    }

    @Test("The longest passphrase may have a line end")
    func longest() throws {
        let key = try folder.keyFile("key", [UInt8](repeating: 0x7A, count: 65536) + [13, 10])
        #expect(try Program.run("create", folder.path("db"), "--key-file", key).status == 0)
    }

    @Test("What is not a regular file is refused without blocking")
    func noFile() throws {
        #expect(mkfifo(folder.path("fifo"), 0o600) == 0)
        for path in [folder.path("fifo"), folder.path, "/dev/zero", "/dev/null", folder.path("none"), ""] {
            let outcome = try Program.run("create", folder.path("db"), "--key-file", path, "--json")
            #expect(outcome.status == 1, "\(path)")
            #expect(try outcome.error().status == 498, "\(path)")
        }
        #expect(try folder.entries() == ["fifo"])
    }

    @Test("A key file that others may read gives a warning", arguments: [0o600, 0o400, 0o644, 0o640, 0o604])
    func permissions(_ mode: Int) throws {
        let db = try folder.encrypted()
        let key = try folder.keyFile(mode: mode)
        let text = try Program.run("get", db, "a", "--key-file", key)
        let json = try Program.run("get", db, "a", "--key-file", key, "--json")
        #expect(text.status == 0 && json.status == 0)
        #expect(text.output == json.output)
        if mode & 0o077 == 0 {
            #expect(text.errors.isEmpty && json.errors.isEmpty)
        } else {
            #expect(text.errors.contains("chmod 600"))
            #expect(text.errors.split(separator: "\n").count == 1)
            let note = try JSONValue(parsing: json.errors)["note"]?.stringValue
            #expect(note?.contains("chmod 600") == true)
        }
    }
}
