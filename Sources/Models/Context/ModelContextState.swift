internal import SetteeEngine
internal import StorageProtocol

/// The state of a `ModelContext` under its lock. A model's own lock may be taken inside this one, but not the other way
/// round. No model may be released for the last time inside it.
struct ModelContextState: Sendable {
    var registry = ModelRegistry()
    /// The models that are in use, including dismissed ones.
    var live: [DocumentID: [WeakModel]] = [:]
    /// The models with edits, in the order of their first edits. They are kept alive.
    var unsaved: [ObjectIdentifier: (order: Int, model: Model)] = [:]
    private var edits = 0
    var autosave = AutosaveSchedule()
    var listener: ChangeListener?
    var autosaveFailed: (@Sendable (Model, any Error) -> Void)?

    /// Returns the models of a document. Release them outside the lock: one of these references may be the last one.
    func live(_ id: DocumentID) -> [Model] { live[id]?.compactMap(\.model) ?? [] }

    /// Forgets models that were released. Returns the remaining models of the same documents, as `live` does.
    mutating func drop(_ dead: [DocumentID]) -> [Model] {
        var alive: [Model] = []
        for id in dead {
            let models = live(id)
            live[id] = models.isEmpty ? nil : models.map { WeakModel($0) }
            alive += models
        }
        return alive
    }

    mutating func keep(_ model: Model) {
        guard unsaved[ObjectIdentifier(model)] == nil else { return }
        edits += 1
        unsaved[ObjectIdentifier(model)] = (edits, model)
    }

    var unsavedInOrder: [Model] { unsaved.values.sorted { $0.order < $1.order }.map(\.model) }
}

struct WeakModel: Sendable {
    weak let model: Model?
    init(_ model: Model) { self.model = model }
}

/// The model class for each `type`.
struct ModelRegistry: Sendable {
    private var classes: [MemberName: Model.Type] = [:]
    private var names: [ObjectIdentifier: String] = [:]

    mutating func register(_ class: Model.Type, forType type: String) {
        if let former = classes[MemberName(type)] { names[ObjectIdentifier(former)] = nil }
        classes[MemberName(type)] = `class`
        names[ObjectIdentifier(`class`)] = type
    }

    func `class`(forType type: String) -> Model.Type? { classes[MemberName(type)] }

    func typeName(of class: Model.Type) -> String? { names[ObjectIdentifier(`class`)] }
}
