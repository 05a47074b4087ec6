internal import StorageProtocol
internal import Testing

@testable internal import SetteeDiscovery

/// What can be advertised, and what is said where Avahi is missing.
@Suite struct AdvertisedServiceTests {
    @Test("what is advertised keeps the rules of browsers")
    func texts() throws {
        var service = AdvertisedService(name: "Studio", port: 5984)
        service.uuid = "0f3a"
        service.usesTLS = true
        try service.check()
        #expect(service.texts == ["path=/", "uuid=0f3a", "tls=1"])
        let checked = try #require(CheckedService(.sample(service.name, texts: service.texts)))
        #expect(checked.uuid == "0f3a")
        #expect(checked.usesTLS)
    }

    @Test("what breaks a rule is a 495, and nothing is begun")
    func refused() async {
        var path = AdvertisedService(name: "a", port: 1)
        path.path = "/a?b"
        var uuid = AdvertisedService(name: "a", port: 1)
        uuid.uuid = "a\n"
        let services = [
            AdvertisedService(name: "", port: 1), AdvertisedService(name: "a", port: 0),
            AdvertisedService(name: "a", port: 65_536), path, uuid,
        ]
        for service in services {
            let error = await #expect(throws: StorageError.self) {
                let advertisement = try await Advertisement.start(service)
                advertisement.stop()
            }
            #expect(error?.code == .badParameter)
        }
    }

    @Test("without the library or the daemon the error is a 501 that names the packages", arguments: [1, -26])
    func missing(number: Int32) {
        let error = StorageError.noDiscovery(number, "Daemon not running")
        #expect(error.status == 501)
        #if !canImport(Darwin)
        #expect(error.message.contains("avahi-daemon"))
        #expect(error.message.contains("libavahi-client3"))
        #endif
    }

    /// With a daemon on the test's computer it goes on; without one it is a 501.
    @Test("browsing ends when its task is cancelled, or with a 501")
    func browsing() async throws {
        let task = Task {
            for try await _ in Browser() {}
        }
        task.cancel()
        do {
            try await task.value
        } catch let error as StorageError {
            #expect(error.code == .notImplemented)
        }
    }
}
