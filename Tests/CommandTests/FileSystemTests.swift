import Foundation
import Settee
import SetteeProgramSupport
import SetteeSystemLibrary
import Testing

@Suite("Full disks and folders that cannot be written")
struct FileSystemTests {
    /// Whether a small file system can be mounted here.
    private static let canMount: Bool = {
        #if os(Linux)
        guard geteuid() == 0, let folder = try? Folder() else { return false }
        let outcome = try? Program.shell("mkdir m && mount -t tmpfs -o size=64k tmpfs m && umount m", in: folder)
        return outcome?.status == 0
        #else
        return false
        #endif
    }()

    /// Whether the test can run as another user: root may write everywhere.
    private static let canDropRights: Bool = {
        geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")
    }()

    @Test(
        "A full disk is an error; the database stays intact and usable",
        .enabled(if: canMount, "no root, or no mount")
    )
    func fullDisk() throws {
        let folder = try Folder()
        try FileManager.default.createDirectory(at: folder.url("disk"), withIntermediateDirectories: false)
        #expect(try Program.shell("mount -t tmpfs -o size=3m tmpfs disk", in: folder).status == 0)
        defer { _ = try? Program.shell("umount disk", in: folder) }
        let db = try folder.database("disk/db")
        let lines = (0..<20_000).map { #"{"_id":"d\#($0)","text":"\#(String(repeating: "x", count: 300))"}"# }
        let outcome = try Program.run("import", db, "-", "--json", input: lines.joined(separator: "\n"))
        #expect(outcome.status == 1)
        #expect(try outcome.error().status == 507)
        let saved = try #require(outcome.object()["documents"]?.intValue)
        #expect(try Program.succeed("ls", db).lines.count == Int(saved))
        #expect(try Program.succeed("check", db).text == "ok\n")
        let target = try Program.run("export", db, "-o", folder.path("disk/export"), "--json")
        if target.status != 0 {
            #expect(try target.error().status == 507)
            #expect(try folder.entries("disk") == ["db"])
        }
        #expect(try Program.shell("mount -o remount,size=16m disk", in: folder).status == 0)
        try Program.succeed("put", db, "more", "{}")
        #expect(try Program.succeed("check", db).text == "ok\n")
    }

    @Test(
        "An index that finds no room is built later; until then queries do without it",
        .enabled(if: canMount, "no root, or no mount"),
        arguments: PlainTypes.all + ["sqlcipher"]
    )
    func indexOnAFullDisk(_ type: String) throws {
        let folder = try Folder()
        try FileManager.default.createDirectory(at: folder.url("disk"), withIntermediateDirectories: false)
        #expect(try Program.shell("mount -t tmpfs -o size=8m tmpfs disk", in: folder).status == 0)
        defer { _ = try? Program.shell("umount disk", in: folder) }
        let db = folder.path("disk/db")
        func settee(_ arguments: String..., input: String = "") throws -> Program.Outcome {
            let environment = type == "sqlcipher" ? ["SETTEE_KEY": TestKey.raw] : [:]
            return try Child(arguments, input: Array(input.utf8), environment: environment).wait()
        }
        func found() throws -> [String] {
            try settee("find", db, #"{"n":7}"#, "--fields", "_id", "--sort", "_id").expectSuccess().lines
        }
        let text = String(repeating: "x", count: 300)
        let lines = (0..<3000).map { #"{"_id":"d\#($0)","n":\#($0 % 1000),"text":"\#(text)\#($0)"}"# }
        try settee("create", db, "--storage-type", type).expectSuccess()
        try settee("import", db, "-", input: lines.joined(separator: "\n")).expectSuccess()
        try settee("index", "create", db, "i", "--on", "n,text").expectSuccess()
        let fill = "dd if=/dev/zero of=disk/fill bs=4k 2>/dev/null; truncate -s -160k disk/fill"
        #expect(try Program.shell(fill, in: folder).status == 0)
        let refused = try settee("index", "update", db, "i", "--json")
        #expect(refused.status == 1)
        #expect(try refused.error().status == 507)
        let rows = [#"{"_id":"d1007"}"#, #"{"_id":"d2007"}"#, #"{"_id":"d7"}"#]
        #expect(try found() == rows)
        #expect(try settee("check", db).text == "ok\n")
        #expect(try Program.shell("rm disk/fill", in: folder).status == 0)
        try settee("put", db, "more", "{}").expectSuccess()
        #expect(try settee("index", "update", db, "--json").object()["rows"] == 3001)
        #expect(try found() == rows)
        #expect(try settee("check", db).text == "ok\n")
    }

    @Test(
        "A full disk does not prevent reading, however many bytes are left",
        .enabled(if: canMount, "no root, or no mount"),
        arguments: PlainTypes.all
    )
    func readingOnAFullDisk(_ type: String) throws {
        let folder = try Folder()
        try FileManager.default.createDirectory(at: folder.url("disk"), withIntermediateDirectories: false)
        #expect(try Program.shell("mount -t tmpfs -o size=2m tmpfs disk", in: folder).status == 0)
        defer { _ = try? Program.shell("umount disk", in: folder) }
        let lines = (0..<100).map { #"{"_id":"d\#($0)","n":\#($0)}"# }
        let db = try folder.database("disk/db", type: type, documents: lines.joined(separator: "\n"))
        for kilobytes in [0, 4, 8, 12, 16, 20, 28, 32, 36, 40, 48, 64, 68, 72, 100, 200] {
            let fill =
                "rm -f disk/fill disk/db/data-000001/lock.mdb; dd if=/dev/zero of=disk/fill bs=4k 2>/dev/null; "
                + "truncate -s -\(kilobytes)k disk/fill; df --output=avail -k disk | tail -1"
            #expect(try Program.shell(fill, in: folder).text.contains("\(kilobytes)"))
            for command in [["get", db, "d7"], ["ls", db], ["export", db], ["check", db], ["info", db]] {
                let outcome = try Child(command + ["--read-only"], input: []).wait()
                #expect(outcome.status == 0, "\(kilobytes) KiB, \(command): \(outcome.errors)")
            }
        }
    }

    @Test(
        "A folder that cannot be written gives a clear error, and --read-only reads it",
        .enabled(if: canDropRights, "no root, or no setpriv")
    )
    func readOnlyFolder() throws {
        let folder = try Folder()
        let db = try folder.database(documents: #"{"_id":"a","n":1}"#)
        let before = try folder.entries("db")
        #expect(try Program.shell("chmod -R a+rX,a-w . && chown -R 0:0 .", in: folder).status == 0)
        let program = try copyForAll(in: Folder())
        func run(_ arguments: String) throws -> Program.Outcome {
            let user = "setpriv --reuid=65534 --regid=65534 --clear-groups"
            return try Program.shell("\(user) '\(program.path("settee"))' \(arguments)", in: folder)
        }
        for write in ["put db b '{}'", "rm db a", "purge db a", "compact db", "create new", "import new -"] {
            let outcome = try run(write + " --json")
            #expect(outcome.status == 1, "\(write)")
            #expect(try [403, 498].contains(outcome.error().status), "\(write): \(outcome.errors)")
        }
        #expect(try run("get db a --read-only").object()["n"]?.intValue == 1)
        #expect(try run("ls db --read-only --json").objects().count == 1)
        #expect(try run("changes db --read-only").lines.count == 1)
        #expect(try run("check db --read-only").text == "ok\n")
        #expect(try run("info db --read-only --json").object()["documentCount"]?.intValue == 1)
        #expect(try run("export db --read-only").lines.count == 1)
        #expect(try folder.entries("db") == before)
        #expect(try Program.shell("chmod -R u+w .", in: folder).status == 0)
        try Program.succeed("put", db, "b", "{}")
    }

    @Test(
        "serve --read-only serves what its user cannot write, and without it no answer has a path",
        .enabled(if: canDropRights, "no root, or no setpriv"),
        arguments: PlainTypes.all
    )
    func servedReadOnly(_ type: String) throws {
        let folder = try Folder()
        _ = try folder.database("db.settee", type: type, documents: #"{"_id":"a","n":1}"#)
        #expect(try Program.shell("chmod -R a+rX,a-w . && chown -R 0:0 .", in: folder).status == 0)
        let before = try folder.entries("db.settee")
        let program = try copyForAll(in: Folder())
        /// What the server answers to requests, a line each with its status.
        func answers(_ options: String, _ requests: [String]) throws -> [Substring] {
            let user = "setpriv --reuid=65534 --regid=65534 --clear-groups"
            let script = """
                log=$(mktemp); \(user) '\(program.path("settee"))' serve . --port 0 \(options) > $log 2>&1 & server=$!
                for i in $(seq 200); do grep -q http $log && break; sleep 0.05; done
                url=$(sed -n 's|.*\\(http://[0-9.:]*\\)/.*|\\1|p' $log)
                for path in \(requests.joined(separator: " ")); do
                    curl -s -w ' %{http_code}' $url$path | tr -d '\\n'; echo
                done
                kill $server; wait $server; rm $log
                """
            return try Program.shell(script, in: folder).text.split(separator: "\n")
        }
        let read = try answers("--read-only", ["/_all_dbs", "/db/a", "/db/_changes", "/db/_all_docs"])
        #expect(read.count == 4 && read.allSatisfy { $0.hasSuffix(" 200") }, "\(read)")
        #expect(read.first == #"["db"] 200"#)
        #expect(read.dropFirst().first?.contains(#""n":1"#) == true)
        let refused = try answers("", ["/db", "/db/a"])
        #expect(refused.count == 2)
        for answer in refused {
            #expect(answer.hasSuffix(" 403") && !answer.contains("/") && !answer.contains("errno"), "\(answer)")
        }
        #expect(try folder.entries("db.settee") == before)
    }

    /// A folder with a copy of the program that everybody may run: the build folder may be closed to other users.
    private func copyForAll(in folder: Folder) throws -> Folder {
        let program = try #require(Program.url)
        try FileManager.default.copyItem(at: program, to: folder.url("settee"))
        #expect(try Program.shell("chmod a+rx . settee", in: folder).status == 0)
        return folder
    }
}
