internal import Dispatch
internal import SetteeEngine
internal import StorageProtocol

extension ModelContext {
    private static let queue = DispatchQueue(label: "settee.models", attributes: .concurrent)

    /// The models with unsaved edits, in the order in which they were first edited.
    public var unsavedModels: [Model] {
        state.withLock { state in state.unsavedInOrder.filter(\.needsSave) }
    }

    /// Saves all models with unsaved edits in one transaction. If one is refused, none is saved.
    ///
    /// - Throws: like `Model.save`.
    public func saveAll() throws { try saveEdited(unsavedModels) }

    /// Saves models in one transaction: that of the calling thread, or a new one.
    func save(_ models: [Model]) throws -> [SavedRevision?] {
        let database = try database()
        return try database.inTransaction { try models.map { try $0.saveInTransaction() } }
    }

    /// Does the same for models that were found to have edits, skipping those deleted since.
    private func saveEdited(_ models: [Model]) throws {
        let database = try database()
        try database.inTransaction {
            for model in models where !model.state.withLock({ $0.isDismissed }) { _ = try model.saveInTransaction() }
        }
    }

    // MARK: - Autosave

    /// How long models with `autosaves` wait for more edits before they are saved; 0.1 seconds by default. A burst of
    /// edits that does not end is saved after twenty times as long.
    public var autosaveDelay: Duration {
        get { state.withLock { $0.autosave.delay } }
        set { state.withLock { $0.autosave.delay = newValue } }
    }

    /// Sets the handler for autosaves that fail, for example with a `conflict` (409). It is called once for a failure,
    /// and again only after the model was saved, reloaded or reverted, or if it fails for another reason. It is called
    /// on a thread of its own, or on the thread that closes the database, and may use the model in any way.
    ///
    /// The model keeps its edits. They are saved with the next ones, and after a `reload` or `update`. After errors
    /// that may be temporary, such as another process's transaction (423) or a full disk (507), the save is retried
    /// after 1 s, then after twice as long each time, up to 60 s.
    public func onAutosaveFailure(_ handler: (@Sendable (Model, any Error) -> Void)?) {
        state.withLock { $0.autosaveFailed = handler }
    }

    /// Saves all models that wait for an autosave now, in one transaction, including those refused before. Closing the
    /// database does the same, except that it continues if a save fails.
    ///
    /// - Throws: like `Model.save`.
    public func flush() throws {
        let waiting = takeAutosaving { $0.autosaves && $0.needsSave }
        guard !waiting.isEmpty else { return }
        try saveEdited(waiting)
    }

    private func takeAutosaving(_ isWaiting: (ModelState) -> Bool) -> [Model] {
        state.withLock { state in
            state.autosave.reset()
            return state.unsavedInOrder.filter { model in model.state.withLock { isWaiting($0) } }
        }
    }

    /// Saves the waiting models. One that fails does not keep the others from being saved.
    ///
    /// - Parameter isLast: whether to try again those refused before, too.
    /// - Returns: the models that were refused.
    private func autosave(isLast: Bool = false) -> [(model: Model, error: any Error)] {
        let waiting = takeAutosaving { isLast ? $0.autosaves && $0.needsSave : $0.waitsForAutosave }
        guard !waiting.isEmpty else { return [] }
        do {
            try saveEdited(waiting)
            state.withLock { $0.autosave.noteSuccess() }
            return []
        } catch {
            guard waiting.count > 1 else { return [(waiting[0], error)] }
        }
        return waiting.compactMap { model in
            do {
                try saveEdited([model])
                return nil
            } catch {
                return (model, error)
            }
        }
    }

    /// Saves the waiting models before the database closes.
    func autosaveAtEnd() { autosave(isLast: true).forEach(noteRefusal) }

    /// Saves the waiting models. The caller has begun an autosave.
    private func autosaveAlone() {
        let refused = autosave()
        // Ended before the handlers are called, because they may take long.
        state.withLock { $0.autosave.end() }
        refused.forEach(noteRefusal)
    }

    private func noteRefusal(of model: Model, _ error: any Error) {
        let (isNews, mayPass) = model.state.withLock { $0.noteRefusal(error) }
        let (handler, pause) = state.withLock { ($0.autosaveFailed, mayPass ? $0.autosave.noteFailure() : nil) }
        if let pause { retry(after: pause) }
        guard isNews else { return }
        let document = (try? model.document.documentID()).map(Log.tag) ?? "a document"
        let name = model.database.name
        // Without a handler, only the log reports the failure.
        Log.log(
            handler == nil ? .error : .info,
            .model,
            "\(name): \(document) was not saved by itself: \(Log.describe(error))"
        )
        handler?(model, error)
    }

    private func retry(after pause: Duration) {
        ModelContext.queue.asyncAfter(deadline: .now() + .nanoseconds(pause.nanoseconds)) { [weak self] in
            guard let self else { return }
            // A running autosave tries the same models.
            let begins = state.withLock { state in
                state.autosave.endPause()
                return state.autosave.begin()
            }
            if begins { autosaveAlone() }
        }
    }

    private func tick(after wait: Duration) {
        ModelContext.queue.asyncAfter(deadline: .now() + .nanoseconds(wait.nanoseconds)) { [weak self] in
            guard let self else { return }
            let (again, begins) = state.withLock { state in
                let again = state.autosave.due()
                return (again, again == nil && state.autosave.begin())
            }
            if let again { tick(after: again) }
            if begins { autosaveAlone() }
        }
    }

    // MARK: - Bookkeeping

    /// Notes that a model was edited: keeps it alive, and schedules an autosave if it has `autosaves`.
    func noteChange(of model: Model, autosaves: Bool) {
        guard isOpen else { return }
        let wait = state.withLock { state -> Duration? in
            state.keep(model)
            return autosaves ? state.autosave.noteEdit() : nil
        }
        if let wait { tick(after: wait) }
    }

    /// Releases a model that has no more edits, and keeps one that has.
    func settle(_ model: Model) {
        let isOpen = isOpen
        state.withLock { state in
            if model.needsSave, isOpen { state.keep(model) } else { state.unsaved[ObjectIdentifier(model)] = nil }
        }
    }
}

extension Duration {
    /// Limited to one hour: a longer wait is done in parts.
    fileprivate var nanoseconds: Int {
        let bounded = max(.zero, min(self, .seconds(3600)))
        return Int(bounded.components.seconds) * 1_000_000_000 + Int(bounded.components.attoseconds / 1_000_000_000)
    }
}
