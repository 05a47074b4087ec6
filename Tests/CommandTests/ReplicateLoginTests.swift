import Foundation
import Settee
import SetteeProgramSupport
import Testing

/// How `settee replicate` logs in, and whom it trusts.
@Suite struct ReplicateLoginTests {
    /// A server with a certificate of its own, over the databases of `folder`/served.
    private func serving(_ folder: Folder, _ test: (_ url: String, _ fingerprint: String) throws -> Void) throws {
        let served = folder.path("served")
        try FileManager.default.createDirectory(atPath: served, withIntermediateDirectories: true)
        #expect(try Program.run("create", served + "/db.settee").status == 0)
        let server = try Conversation(["serve", served, "--port", "0", "--tls", "--json"])
        let line = try object(server.nextLine())
        try test(try #require(line["url"]?.stringValue), try #require(line["fingerprint"]?.stringValue))
        server.interrupt()
        #expect(try server.finish() == 0)
    }

    @Test("a certificate is shown, and then trusted by its pin or by its file, and else not")
    func certificate() throws {
        let folder = try Folder()
        let local = folder.path("local.settee")
        #expect(try Program.run("create", local).status == 0)
        try serving(folder) { url, fingerprint in
            let shown = try object(try Program.run("certificate", url, "--json").lines.first)
            #expect(shown["sha256"]?.stringValue == fingerprint)
            #expect(shown["subject"] == "CN=127.0.0.1")
            #expect(shown["names"]?.arrayValue?.contains("localhost") == true)
            #expect(shown["validUntil"]?.stringValue?.hasSuffix("Z") == true)
            let text = try Program.run("certificate", url + "db")
            #expect(text.status == 0 && text.text.contains("SHA-256  \(fingerprint)\n"), "\(text.text)")
            let file = folder.path("served/.settee-tls/certificate.pem")
            for (options, status) in [
                ([], 1), (["--pin", fingerprint], 0), (["--ca", file], 0),
                (["--pin", String(repeating: "0", count: 64)], 1),
                (["--ca", folder.path("none")], 1), (["--pin", fingerprint, "--cert", file, "--cert-key", file], 1),
            ] as [([String], Int32)] {
                let outcome = try Child(["replicate", local, url + "db"] + options, input: []).wait()
                #expect(outcome.status == status, "\(options): \(outcome.errors)")
                if status == 1 { #expect(outcome.errors.contains(options.count < 2 ? fingerprint : "(4")) }
            }
        }
    }

    @Test("--create-target makes no folder for a source that cannot be read")
    func noTarget() throws {
        let folder = try Folder()
        let target = folder.path("new")
        try serving(folder) { url, fingerprint in
            let pin = ["--pin", fingerprint]
            for (source, options) in [
                (url + "none", pin), (url + "db", []), ("https://127.0.0.1:1/db", pin),
                (url + "db", pin + ["--user", "ida", "--password-file", folder.path("none")]),
            ] {
                let command = ["replicate", source, target, "--create-target"] + options
                let outcome = try Child(command, input: []).wait()
                #expect(outcome.status == 1, "\(options)")
                #expect(!FileManager.default.fileExists(atPath: target), "\(source) \(options)")
            }
            #expect(
                try Child(["replicate", url + "db", target, "--create-target"] + pin, input: []).wait().status == 0
            )
            #expect(try Program.run("info", target).status == 0)
            // One that was there stays.
            #expect(
                try Child(["replicate", url + "none", target, "--create-target"] + pin, input: []).wait().status == 1
            )
            #expect(try Program.run("info", target).status == 0)
        }
    }

    @Test("a server that is not there, and a URL without TLS, show no certificate")
    func noCertificate() throws {
        #expect(try Program.run("certificate", "https://127.0.0.1:1").status == 1)
        for url in ["http://127.0.0.1:1", "127.0.0.1", "", "https://", "https://ida:secret@127.0.0.1:1", "file:///etc"]
        {
            let outcome = try Program.run("certificate", url)
            #expect(outcome.status == 2 && !outcome.errors.contains("secret"), "\(url): \(outcome.errors)")
        }
    }

    @Test(
        "what makes no sense is a usage error",
        arguments: [
            ["--session"], ["--session", "--token-file", "t"], ["--user", "a:b", "--password-file", "p"],
            ["--user", "a", "--password-file", "p", "--oauth-file", "o"], ["--token-file", "t", "--oauth-file", "o"],
            ["--openid-file", "i", "--token-file", "t"], ["--openid-file", "i", "--oauth-file", "o"],
            ["--cert", "c"], ["--cert-key", "k"], ["--ca", "a", "--pin", String(repeating: "a", count: 64)],
        ]
    )
    func usage(options: [String]) throws {
        let outcome = try Child(["replicate", "a", "https://a.example/b"] + options, input: []).wait()
        #expect(outcome.status == 2, "\(outcome.errors)")
        let plain = try Child(["replicate", "a", "b"] + options, input: []).wait()
        #expect(plain.status == 2, "\(plain.errors)")
    }

    @Test("certificates are for https, and nobody logs in between folders")
    func places() throws {
        for options in [
            ["--ca", "f"], ["--cert", "c", "--cert-key", "k"], ["--pin", String(repeating: "a", count: 64)],
        ] {
            #expect(try Child(["replicate", "a", "http://127.0.0.1/b"] + options, input: []).wait().status == 2)
            #expect(try Child(["replicate", "a", "b"] + options, input: []).wait().status == 2)
        }
        for options in [["--allow-insecure-login"], ["--oauth-file", "o"], ["--openid-file", "i"]] {
            #expect(try Child(["replicate", "a", "b"] + options, input: []).wait().status == 2)
        }
    }

    @Test("a login over plain HTTP to another computer wants an explicit word")
    func insecure() throws {
        let folder = try Folder()
        let (local, password) = (folder.path("a"), try folder.file("password", "secret\n"))
        #expect(try Program.run("create", local).status == 0)
        let options = ["replicate", local, "http://192.0.2.1:1/db", "--user", "ida", "--password-file", password]
        let refused = try Child(options, input: []).wait()
        #expect(refused.status == 1)
        #expect(refused.errors.contains("--allow-insecure-login") && refused.errors.contains("(495 badParameter)"))
        #expect(!refused.errors.contains("secret"))
    }

    @Test("files of secrets that hold something else are told without their contents")
    func files() throws {
        let folder = try Folder()
        #expect(try Program.run("create", folder.path("a")).status == 0)
        for text in ["", "hush", "[]", #"{"consumer_key":"hush","consumer_secret":"hush","token":"hush"}"#] {
            let file = try folder.file("oauth", text)
            let outcome = try Program.run("replicate", folder.path("a"), "http://127.0.0.1:1/b", "--oauth-file", file)
            #expect(outcome.status == 1 && outcome.errors.contains("(495 badParameter)"), "\(outcome.errors)")
            #expect(!outcome.errors.contains("hush"))
        }
        let file = try folder.file("openid", "{")
        let outcome = try Program.run("replicate", folder.path("a"), "http://127.0.0.1:1/b", "--openid-file", file)
        #expect(outcome.status == 1 && outcome.errors.contains("(495 badParameter)"), "\(outcome.errors)")
    }

    @Test("a server that takes clients with certificates only needs TLS and the file of their authority")
    func clientAuthority() throws {
        let folder = try Folder()
        let bare = try Child(["serve", folder.path("."), "--port", "0", "--client-ca", "ca.pem"], input: []).wait()
        #expect(bare.status == 2, "\(bare.errors)")
        let missing = try Child(
            ["serve", folder.path("."), "--port", "0", "--tls", "--client-ca", folder.path("none")],
            input: []
        ).wait()
        #expect(missing.status == 1 && missing.errors.contains("none"), "\(missing.errors)")
    }
}
