internal import Dispatch
internal import SetteeEngine
internal import StorageProtocol
internal import Synchronization

extension ModelContext {
    private static let queue = DispatchQueue(label: "settee.models", attributes: .concurrent)

    /// The models with unsaved edits, in the order in which they were first edited.
    public var unsavedModels: [Model] {
        state.withLock { state in state.unsavedInOrder.filter(\.needsSave) }
    }

    /// Saves all models with unsaved edits, in one transaction: all of them or, where one is refused, none.
    ///
    /// - Throws: as `Model.save`.
    public func saveAll() throws { _ = try save(unsavedModels) }

    /// Saves models in one transaction, the calling thread's or a new one.
    func save(_ models: [Model]) throws -> [SavedRevision?] {
        let database = try database()
        return try database.inTransaction { try models.map { try $0.saveInTransaction() } }
    }

    // MARK: - Autosave

    /// How long models with `autosaves` wait for more edits before they are saved: 0.1 seconds. A burst of edits that
    /// does not end is saved after twenty times as long.
    public var autosaveDelay: Duration {
        get { state.withLock { $0.autosave.delay } }
        set { state.withLock { $0.autosave.delay = newValue } }
    }

    /// Sets what is told of an autosave that failed, for example with a `conflict` (409). The model keeps its edits, and
    /// they are saved with the next ones. Called from a thread of its own, or from the one that closes the database.
    public func onAutosaveFailure(_ handler: (@Sendable (Model, any Error) -> Void)?) {
        state.withLock { $0.autosaveFailed = handler }
    }

    /// Saves now what waits for its autosave, in one transaction. Closing the database does so too, save that it goes
    /// on where a save fails.
    ///
    /// - Throws: as `Model.save`.
    public func flush() throws {
        let waiting = takeAutosaving()
        guard !waiting.isEmpty else { return }
        _ = try save(waiting)
    }

    private func takeAutosaving() -> [Model] {
        state.withLock { state in
            state.autosave.reset()
            return state.unsavedInOrder.filter { $0.autosaves && $0.needsSave }
        }
    }

    /// Saves what waits; one that fails does not hold up the others.
    func autosave() {
        let waiting = takeAutosaving()
        guard !waiting.isEmpty, (try? save(waiting)) == nil else { return }
        for model in waiting {
            do {
                _ = try save([model])
            } catch {
                let failed = state.withLock { $0.autosaveFailed }
                failed?(model, error)
            }
        }
    }

    private func tick(after wait: Duration) {
        ModelContext.queue.asyncAfter(deadline: .now() + .nanoseconds(wait.nanoseconds)) { [weak self] in
            guard let self else { return }
            let (again, isDue) = state.withLock { state in
                let again = state.autosave.due()
                return (again, again == nil)
            }
            if let again { tick(after: again) }
            if isDue { autosave() }
        }
    }

    // MARK: - Bookkeeping

    /// A model was edited: it is kept alive, and saved soon where it saves itself.
    func noteChange(of model: Model, autosaves: Bool) {
        guard isOpen else { return }
        let wait = state.withLock { state -> Duration? in
            state.keep(model)
            return autosaves ? state.autosave.noteEdit() : nil
        }
        if let wait { tick(after: wait) }
    }

    /// Lets a model go that has no more edits, and keeps one that has.
    func settle(_ model: Model) {
        let isOpen = isOpen
        state.withLock { state in
            if model.needsSave, isOpen { state.keep(model) } else { state.unsaved[ObjectIdentifier(model)] = nil }
        }
    }
}

extension Duration {
    /// At most an hour's worth: a longer wait is waited for in parts.
    fileprivate var nanoseconds: Int {
        let bounded = max(.zero, min(self, .seconds(3600)))
        return Int(bounded.components.seconds) * 1_000_000_000 + Int(bounded.components.attoseconds / 1_000_000_000)
    }
}
