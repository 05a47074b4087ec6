internal import StorageProtocol

/// Why and where a text is not acceptable JSON.
struct JSONFault: Equatable {
    enum Kind: UInt8 {
        case empty
        case byteOrderMark
        case value
        case name
        case colon
        case commaOrBracket
        case commaOrBrace
        case trailing
        case number
        case leadingZero
        case doubleRange
        case control
        case escape
        case surrogate
        case unterminated
        case encoding
        case depth
    }

    var kind: Kind
    /// The byte offset in the text at which it was detected.
    var offset: Int

    var error: StorageError {
        StorageError(.badJSON, "The JSON text cannot be accepted at byte \(offset): \(reason)")
    }

    private var reason: String {
        switch kind {
        case .empty: "it ends before there is a value. Give a complete JSON value."
        case .byteOrderMark: "it begins with a byte order mark. Save it as UTF-8 without one."
        case .value:
            "a value is expected: an object, array, string in double quotes, number, true, false or null. Correct it "
                + "there."
        case .name: "a member's name in double quotes is expected. Quote the name, or remove a trailing comma."
        case .colon: "a colon is expected behind a member's name. Insert it."
        case .commaOrBracket: "a comma or a closing bracket is expected. Insert it."
        case .commaOrBrace: "a comma or a closing brace is expected. Insert it."
        case .trailing: "there is more behind the end of the value. Give one value at a time."
        case .number: "a number is not written as JSON wants it. Write it like -12, 0.5 or 1e10."
        case .leadingZero: "a number begins with a superfluous zero or sign. Write it without."
        case .doubleRange: "a number is beyond what a double can hold. Write it as a string."
        case .control: "a control character stands in a string. Escape it, for example as \\n or \\u0001."
        case .escape: "an escape is unknown or incomplete. Write a backslash itself as \\\\."
        case .surrogate: "an escaped surrogate has no partner. Write the pair, or the character itself as UTF-8."
        case .unterminated: "a string has no end. Close it with a double quote."
        case .encoding: "the bytes are not UTF-8. Convert the text to UTF-8."
        case .depth: "arrays and objects are nested more than \(JSONLimits.depth) deep. Flatten the document."
        }
    }
}

/// The limits of JSON texts.
public enum JSONLimits {
    /// The maximum nesting depth of arrays and objects.
    public static let depth = 512
    /// The maximum length of a document's text, in bytes: 32 MiB.
    public static let documentLength = RecordDraft.maximumBodyLength
    /// The highest limit that a parser can be given, in bytes.
    public static let textLength = (1 << 28) - 4096

    static func tooLong(_ length: Int, limit: Int) -> StorageError {
        StorageError(
            .tooLarge,
            "The JSON text has \(length) bytes; at most \(limit) are allowed. Split it, or keep large data in "
                + "attachments."
        )
    }
}
