internal import StorageProtocol

extension OpenStore {
    func join(_ modules: [DatabaseModule]) {
        joinedKeeper.withLock { keeper in
            for module in modules {
                if let other = module.indexKeeper { keeper = keeper.joined(with: other) }
            }
        }
    }

    var indexKeeper: any IndexKeeper { joinedKeeper.withLock { $0 } }
}
