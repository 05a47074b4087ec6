internal import StorageProtocol

extension OpenStore {
    func join(_ modules: [DatabaseModule]) {
        guard let keeper = modules.lazy.compactMap(\.indexKeeper).first else { return }
        joinedKeeper.withLock { $0 = $0 ?? keeper }
    }

    var indexKeeper: any IndexKeeper { joinedKeeper.withLock { $0 } ?? NoIndexKeeper() }
}
