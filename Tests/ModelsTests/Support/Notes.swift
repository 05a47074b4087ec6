import Foundation
import Settee

struct Address: Codable, Sendable, Equatable {
    var city: String
    var street: String?
}

struct Note: Codable, Sendable, Equatable {
    var title: String
    var due: Date?
    var tags: [String]?
    var address: Address?

    init(title: String, due: Date? = nil, tags: [String]? = nil, address: Address? = nil) {
        self.title = title
        self.due = due
        self.tags = tags
        self.address = address
    }
}

/// A type with hooks.
struct Stamped: ModelHooks, Equatable {
    var text: String
    var saves = 0
    var changed: [String] = []
    var refuses: Bool?

    init(text: String) { self.text = text }

    mutating func willSave(changedNames: PropertyNames) throws {
        if refuses == true { throw ApplicationError(number: 3) }
        saves += 1
        changed = Array(changedNames)
    }

    func propertiesToSaveForDeletion() throws -> JSONObject { ["last": .string(text)] }
}

class Entry: Model, @unchecked Sendable {
    @Stored("title") var title = "untitled"
    @Stored("due") var due: Date?
    @Stored("count") var count = 0
    @Stored("ratio") var ratio = 1.0
    @Stored("parent") var parent: Reference<Entry>?
    @Stored("children") var children: [Reference<Entry>] = []
}

final class VoiceEntry: Entry, @unchecked Sendable {
    @Stored("sound") var sound = Data()
    @Stored("saved") var saves = 0
    @Stored("changed") var changed: [String] = []

    override func willSave(changedNames: PropertyNames) throws {
        saves += 1
        changed = Array(changedNames)
    }

    override func propertiesToSaveForDeletion() throws -> JSONObject {
        var properties = try super.propertiesToSaveForDeletion()
        properties["gone"] = .string(title)
        return properties
    }
}
