internal import SetteeEngine
internal import StorageProtocol

/// What a `ModelContext` has under its lock. A model's own lock may be taken inside it, never the other way round; and
/// no model may come to its end inside it.
struct ModelContextState: Sendable {
    var registry = ModelRegistry()
    /// The models that somebody holds; dismissed ones among them.
    var live: [DocumentID: [WeakModel]] = [:]
    /// The models with edits, in the order of their first one. They are kept alive.
    var unsaved: [ObjectIdentifier: (order: Int, model: Model)] = [:]
    private var edits = 0
    var autosave = AutosaveSchedule()
    var listener: ChangeListener?
    var autosaveFailed: (@Sendable (Model, any Error) -> Void)?

    /// The models of a document. Let go of them outside the lock: one of these references may be the last one.
    func live(_ id: DocumentID) -> [Model] { live[id]?.compactMap(\.model) ?? [] }

    /// Forgets models that are gone. Returns those of the same documents that are not, as `live` does.
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

/// Which class stands for which `type`.
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
