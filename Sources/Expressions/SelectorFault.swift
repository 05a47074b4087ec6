internal import SetteeDocumentValues
internal import StorageProtocol

/// Why a selector is refused. The texts begin as CouchDB's do.
enum SelectorFault {
    static let noObject = StorageError(
        .badRequest,
        "Selector must be a JSON object. Write {} to match every document."
    )
    static let noField = StorageError(
        .badRequest,
        "One or more conditions is missing a field name. Put each operator that compares into a field's object."
    )
    static let tooMany = StorageError(
        .badRequest,
        "The selector has more than \(MangoSelector.maximumConditions) conditions. Use $in for many values of one field."
    )
    static let longSearch = StorageError(
        .badRequest,
        "The pattern of $regex needs too much time or memory. Write one with fewer repetitions in repetitions."
    )
    static let tooMuchWork = StorageError(
        .badRequest,
        "The selector has too many conditions for a document of this size. Use fewer, or smaller documents."
    )
    static let longPatterns = StorageError(
        .badRequest,
        "Bad argument for operator $regex: all patterns of a selector together have more than "
            + "\(MangoSelector.maximumPatternLength) characters. Use fewer or shorter ones."
    )

    static let cancelled = StorageError(.cancelled, "The task was cancelled.")

    /// - Parameter place: The names and places that lead there.
    static func tooDeep(at place: [String]) -> StorageError {
        StorageError(
            .badRequest,
            "The selector is nested more than \(MangoSelector.maximumDepth) deep, at "
                + "\(shown(JSONPointer(names: place).description)). Write the path to a field as one name, a.b.c, and put "
                + "the conditions of nested $and into one."
        )
    }

    static func unknown(_ name: String) -> StorageError {
        StorageError(
            .badRequest,
            "Invalid operator: \(shown(name)). Write a backslash before a field name that begins with '$'."
        )
    }

    static func unsupported(_ operation: Operator, _ remedy: String) -> StorageError {
        StorageError(.badRequest, "Unsupported operator: \(operation.rawValue). \(remedy)")
    }

    static func badArgument(
        _ operation: Operator,
        _ expected: String,
        cause: StorageError? = nil
    ) -> StorageError {
        StorageError(.badRequest, "Bad argument for operator \(operation.rawValue): \(expected).", cause: cause)
    }

    static func emptyName(in path: [UInt8]) -> StorageError {
        let path = String(decoding: path, as: UTF8.self)
        return StorageError(
            .badRequest,
            "Invalid field name: \(shown(path)). Write a name on both sides of a point, and \\. for a point in a name."
        )
    }

    static func longPath(_ path: [UInt8]) -> StorageError {
        let path = String(decoding: path, as: UTF8.self)
        return StorageError(
            .badRequest,
            "Invalid field name: \(shown(path)). A path has at most \(MangoSelector.maximumPathLength) bytes. Shorten it."
        )
    }

    /// A name of the selector, cut where it is long.
    private static func shown(_ name: String) -> String {
        let scalars = name.unicodeScalars
        let beginning = String(String.UnicodeScalarView(scalars.prefix(64)))
        return scalars.dropFirst(64).isEmpty ? beginning : beginning + "..."
    }
}
