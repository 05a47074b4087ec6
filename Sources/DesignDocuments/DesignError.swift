package import SetteeJavaScript

// Only FoundationEssentials where it exists, as in the other modules.
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Why a function of a design document cannot be used.
package enum DesignError: Error, Hashable, Sendable {
    /// 404. The reason in CouchDB's words: `missing` and `deleted` for the design document, `missing_named_view`, or
    /// `missing json key: NAME` for a filter.
    case missing(String)
    /// 400: a member of a design document has a type that it cannot have. The reason in CouchDB's words.
    case invalid(String)
    /// 501: the functions are written in another language than JavaScript.
    case unsupportedLanguage(String)
    /// 501: JavaScript cannot run on this machine. The text says what to install.
    case unavailable(String)
    /// 400: a function cannot be compiled, or is none. The text says which, and why.
    case compilation(String)
    /// 500: finding out whether a function can be compiled took too much time or memory.
    case failed(JavaScriptError)

    /// - Parameter what: the function, such as `The map function of the view "names"`.
    init(_ error: JavaScriptError, _ what: String) {
        self =
            switch error {
            case .unavailable(let reason): .unavailable(reason)
            case .compilation(let message, let line):
                .compilation("\(what) cannot be compiled\(line > 0 ? ", line \(line)" : ""): \(message)")
            default: .failed(error)
            }
    }

    /// The status of an HTTP answer about this error.
    package var status: Int {
        switch self {
        case .missing: 404
        case .unsupportedLanguage, .unavailable: 501
        case .invalid, .compilation: 400
        case .failed(let error): error.status
        }
    }
}

extension DesignError: LocalizedError {
    package var errorDescription: String? {
        switch self {
        case .missing(let reason): "There is no such function in a design document (\(reason))."
        case .unsupportedLanguage(let language):
            "The design document is written in '\(language)'. Only JavaScript can be run."
        case .invalid(let reason), .unavailable(let reason), .compilation(let reason): reason
        case .failed(let error): error.errorDescription
        }
    }
}
