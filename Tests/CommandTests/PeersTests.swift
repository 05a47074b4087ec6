import SetteeProgramSupport
import Testing

/// `settee peers` and `settee serve --advertise` where no daemon answers; Tests/Discovery has those where one does.
@Suite struct PeersTests {
    private let nobody = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/settee"]

    @Test("without Avahi's daemon it is a 501 that names the packages", arguments: [[], ["--follow"]])
    func peers(options: [String]) throws {
        let outcome = try Child(["peers", "--json"] + options, input: [], environment: nobody).wait()
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains(#""status":501,"code":"notImplemented""#))
        #if !canImport(Darwin)
        #expect(outcome.errors.contains("avahi-daemon"))
        #expect(outcome.errors.contains("libavahi-client3"))
        #endif
    }

    @Test("a server that cannot be advertised ends with that error")
    func serve() throws {
        let folder = try Folder()
        let outcome = try Child(
            [
                "serve", folder.path("."), "--port", "0", "--host", "0.0.0.0", "--allow-anyone", "--advertise",
                "Studio",
                "--json",
            ],
            input: [],
            environment: nobody
        ).wait()
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains(#""status":501"#))
    }

    @Test("what nobody could reach or read is a usage error, before anything is served")
    func usage() throws {
        let folder = try Folder()
        for options in [
            ["--advertise", "Studio"], ["--advertise", "Studio", "--host", "localhost"],
            ["--advertise", "a\u{1B}[31m", "--host", "0.0.0.0"], ["--advertise", "", "--host", "0.0.0.0"],
        ] {
            let outcome = try Child(["serve", folder.path(".")] + options, input: [], environment: [:]).wait()
            #expect(outcome.status == 2, "\(options)")
            #expect(outcome.output.isEmpty)
        }
        let outcome = try Child(["peers", "--seconds", "0"], input: [], environment: [:]).wait()
        #expect(outcome.status == 2)
    }
}
