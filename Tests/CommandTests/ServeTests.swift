import Foundation
import Settee
import SetteeProgramSupport
import Testing

/// `settee serve`.
@Suite struct ServeTests {
    @Test("it says where it listens, and ends in order when it is interrupted")
    func life() throws {
        let folder = try Folder()
        let server = try Conversation(["serve", folder.path("."), "--port", "0", "--json"])
        let line = try object(server.nextLine())
        #expect(line["url"]?.stringValue?.hasPrefix("http://127.0.0.1:") == true)
        #expect(line.count == 1)
        server.interrupt()
        #expect(server.nextLine() == nil)
        #expect(try server.finish() == 0)
    }

    @Test("it ends in order when it is interrupted while it starts", arguments: [1, 5, 10, 20, 40, 80, 160])
    func earlyInterrupt(milliseconds: Int) throws {
        let folder = try Folder()
        let server = try Conversation(["serve", folder.path("."), "--port", "0", "--json"])
        Thread.sleep(forTimeInterval: Double(milliseconds) / 1_000)
        server.interrupt()
        let status = try server.finish()
        // Before it can catch one, an interrupt ends it as it does any program.
        #expect(status == 0 || status == SIGINT, "\(status)")
    }

    @Test("encrypted databases are served with their key, which is given once")
    func keys() throws {
        let folder = try Folder()
        let file = try folder.keyFile()
        _ = try folder.encrypted("db.settee")
        let server = try Conversation(["serve", folder.path("."), "--port", "0", "--json", "--key-file", file])
        #expect(try object(server.nextLine())["url"] != nil)
        server.interrupt()
        #expect(try server.finish() == 0)
        let both = try Program.run("serve", folder.path("."), "--key-file", file, environment: ["SETTEE_KEY": "x"])
        #expect(both.status == 2)
    }

    @Test("a certificate is made once, and only its owner can read its key")
    func certificate() throws {
        let folder = try Folder()
        var fingerprints: [JSONValue?] = []
        for _ in 0..<2 {
            let server = try Conversation(["serve", folder.path("."), "--port", "0", "--tls", "--json"])
            let line = try object(server.nextLine())
            #expect(line["url"]?.stringValue?.hasPrefix("https://127.0.0.1:") == true)
            fingerprints.append(line["fingerprint"])
            server.interrupt()
            #expect(try server.finish() == 0)
        }
        #expect(fingerprints[0]?.stringValue?.utf8.count == 95)
        #expect(fingerprints[0] == fingerprints[1])
        let key = folder.path(".settee-tls/key.pem")
        let mode = try FileManager.default.attributesOfItem(atPath: key)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("what would let anyone in, and what contradicts itself, is refused before it listens")
    func refused() throws {
        let folder = try Folder()
        for (options, status) in [
            (["--host", "0.0.0.0"], 1), (["--users", folder.path("none")], 1), (["--cors", "*"], 1),
            (["--cert", folder.path("none"), "--cert-key", folder.path("none")], 1), (["--port", "70000"], 2),
            (["--cert", "c"], 2), (["--tls", "--cert", "c", "--cert-key", "k"], 2), (["--storage-type", "none"], 1),
        ] as [([String], Int32)] {
            let outcome = try Child(["serve", folder.path("."), "--port", "0"] + options, input: []).wait()
            #expect(outcome.status == status, "\(options): \(outcome.errors)")
            #expect(outcome.output.isEmpty)
            #expect(!outcome.errors.isEmpty)
        }
    }
}
