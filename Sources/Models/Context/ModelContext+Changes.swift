internal import SetteeEngine
internal import StorageProtocol

extension ModelContext {
    /// Whether live models without edits automatically load what is saved elsewhere, including by other processes.
    /// False by default: then models are brought up to date when they are requested, and by `Model.reload`.
    ///
    /// `Model.didReload` is called on a thread of the context's own.
    public var followsChanges: Bool {
        get { state.withLock { $0.listener != nil } }
        set {
            guard newValue else {
                let former = state.withLock { $0.listener.take() }
                former?.remove()
                return
            }
            guard !followsChanges, let database = try? database() else { return }
            let listener = database.addChangeListener { [weak self] change in self?.refresh(after: change) }
            state.withLock { $0.listener = listener }
        }
    }

    /// A model that cannot be read now keeps its state; requesting it throws the error.
    private func refresh(after change: DatabaseChange) {
        let models = state.withLock { state in
            switch change {
            case .document(let change): state.live(change.documentID)
            case .missed: state.live.keys.flatMap { state.live($0) }
            }
        }
        for model in models { try? model.refresh() }
    }
}
