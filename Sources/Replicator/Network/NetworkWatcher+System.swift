#if canImport(Network)
internal import Dispatch
internal import Network
internal import StorageProtocol

extension NetworkWatcher {
    static func systemSource(_ changed: @escaping @Sendable () -> Void) -> (any Source)? {
        NetworkPaths(changed)
    }
}

/// The paths that Apple's systems know.
private final class NetworkPaths: Sendable {
    private let monitor = NWPathMonitor()

    init(_ changed: @escaping @Sendable () -> Void) {
        // The first path is the present one.
        let isFirst = Locked(true)
        monitor.pathUpdateHandler = { _ in
            let isNews = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return !isFirst
            }
            if isNews { changed() }
        }
        monitor.start(queue: DispatchQueue(label: "settee.network"))
    }

    deinit { monitor.cancel() }
}
#else
extension NetworkWatcher {
    static func systemSource(_ changed: @escaping @Sendable () -> Void) -> (any Source)? {
        RoutingSocket(changed)
    }
}
#endif
