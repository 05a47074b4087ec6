// Only FoundationEssentials where it exists, as in the other modules.
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Why a function of a design document could not run, or did not end well.
///
/// No message has anything of a document in it but what the function itself put into the error that it threw.
public enum JavaScriptError: Error, Hashable, Sendable {
    /// Functions cannot run on this machine: a program or a library is missing. The text says what to install.
    case unavailable(String)
    /// The source is no function. The message is JavaScriptCore's; the line counts from 1 and is 0 if it is not known.
    case compilation(message: String, line: Int)
    /// The function took longer than this.
    case timeLimit(Duration)
    /// The function used more memory than this number of bytes.
    case memoryLimit(Int)
    /// The function made more output than this number of bytes.
    case outputLimit(Int)
    /// The documents, keys or values have more than this number of bytes.
    case inputLimit(Int)
    /// The process in which the function ran ended.
    case crashed
    /// The function threw an error, or what it was given or returned is no JSON. At most 500 bytes of UTF-8.
    case thrown(String)
    /// A map or reduce function threw `'fatal_error'`, or `['fatal', name, reason]`, which ends its view in CouchDB.
    case fatal(name: String, reason: String)

    /// Whether the function took all that it may take, so that to call it again would cost as much.
    package var isLimit: Bool {
        switch self {
        case .timeLimit, .memoryLimit, .outputLimit, .crashed: true
        case .unavailable, .compilation, .inputLimit, .thrown, .fatal: false
        }
    }

    /// The status of an HTTP answer about this error: 501 for `unavailable`, 400 for `compilation`, 413 for
    /// `inputLimit`, otherwise 500.
    public var status: Int {
        switch self {
        case .unavailable: 501
        case .compilation: 400
        case .inputLimit: 413
        default: 500
        }
    }
}

extension JavaScriptError: LocalizedError {
    /// What happened, and how to remedy it.
    public var errorDescription: String? {
        switch self {
        case .unavailable(let reason): reason
        case .compilation(let message, let line):
            "The source of a function cannot be compiled\(line > 0 ? ", line \(line)" : ""): \(message) "
                + "Correct the design document."
        case .timeLimit(let limit):
            "A function of a design document took longer than \(limit). Correct the function, or raise `timeLimit`."
        case .memoryLimit(let bytes):
            "A function of a design document used more than \(bytes) bytes of memory. Correct the function, or raise "
                + "`memoryLimit`."
        case .outputLimit(let bytes):
            "A function of a design document made more than \(bytes) bytes of output. Emit less, or raise "
                + "`outputLimit`."
        case .inputLimit(let bytes):
            "A function of a design document was to be given more than \(bytes) bytes. Use smaller documents."
        case .crashed:
            "The process that runs the functions of design documents ended. Correct the function if that happens again."
        case .thrown(let message): "A function of a design document failed: \(message)"
        case .fatal(let name, let reason): "A function of a design document ended its view with \(name): \(reason)"
        }
    }
}
