internal import Settee
internal import StorageProtocol

/// A storage type with its settings.
struct LoadCandidate: Hashable {
    var storageType: StorageType
    var compression: Compression?

    /// In the order in which they are preferred where no difference is shown: the formats that other tools can read
    /// come first.
    static let all = [
        LoadCandidate(storageType: .sqlite), LoadCandidate(storageType: .sqlcipher),
        LoadCandidate(storageType: .lmdb), LoadCandidate(storageType: .lmdb, compression: .lz4),
        LoadCandidate(storageType: .rocksdb), LoadCandidate(storageType: .memory),
    ]

    var name: String { compression.map { "\(storageType.name) (\($0.rawValue))" } ?? storageType.name }

    /// Why it is not for such a load; nil if it may be.
    func refusal(_ load: LoadDescription) -> String? {
        guard let engine = BuiltInEngines.all.first(where: { $0.storageType == storageType })?.capabilities else {
            return "this program does not have it"
        }
        if load.isEncrypted, !engine.requiresKey {
            return "it does not encrypt" + (engine.encryptedType.map { ": \($0.name) is its encrypted form" } ?? "")
        }
        if !load.isEncrypted, engine.requiresKey { return "encryption was not asked for, and costs time" }
        if engine.location == .memory {
            if load.processes > 1 { return "only one process can use it" }
            if !load.isVolatile { return "what it holds is gone with the process" }
            let bytes = Double(load.documents) * Double(load.documentBytes)
            if let memory = load.memoryBytes, bytes > Double(memory) { return "the documents do not fit into memory" }
        }
        if load.processes > 1, engine.sharing == .exclusive { return "only one process can use it" }
        return nil
    }
}
