#if Sync
internal import ArgumentParser
internal import Settee
internal import SetteeDiscovery
internal import SetteeListener

extension ServeCommand {
    /// Serves until the listener ends, and meanwhile advertises what it serves, if that is wanted.
    static func run(_ listener: Listener, advertisedAs name: String?, asJSON: Bool) async throws {
        guard let name else { return try await listener.run() }
        var service = AdvertisedService(name: name, port: listener.port ?? 0)
        service.uuid = listener.uuid
        service.usesTLS = await listener.fingerprint != nil
        try await withThrowingTaskGroup(of: Void.self) { [service] group in
            group.addTask { try await listener.run() }
            group.addTask { try await advertise(service, asJSON: asJSON) }
            try await group.next()
            group.cancelAll()
        }
    }

    /// Returns when the task is cancelled. Says each name that others see.
    private static func advertise(_ service: AdvertisedService, asJSON: Bool) async throws {
        let advertisement = try await Advertisement.start(service)
        defer { advertisement.stop() }
        for await name in advertisement.names {
            let printer = Printer(asJSON: asJSON)
            try printer.line(
                "Advertised as \(Columns.printable(name))",
                json: JSONLine().string("advertisedAs", name)
            )
            try printer.flush()
        }
    }

    /// Refuses what cannot be advertised, before anything is served.
    static func check(_ name: String, on host: String) throws {
        guard AdvertisedService.isName(name) else {
            throw ValidationError("--advertise must have 1 to 63 bytes, and no control characters.")
        }
        if host == "localhost" || host == "::1" || host.hasPrefix("127.") {
            throw ValidationError("Others cannot reach \(host). With --advertise give --host 0.0.0.0, or an address.")
        }
    }
}
#endif
