internal import CSetteeJavaScript
internal import SetteeSystemLibrary

/// A running `settee-js`. It is killed and waited for when this is released.
///
/// One thread at a time may use it.
final class ChildProcess {
    let identifier: Int32
    let socket: Int32
    let memoryLimit: Int
    let outputLimit: Int

    /// How long a child may take to start on a machine that is busy.
    private static let patience = Duration.seconds(60)

    /// - Throws: `unavailable` if there is no such program or library, or it is of another version; `crashed` if it
    ///   ends at its start.
    init(_ configuration: JavaScriptConfiguration) throws(JavaScriptError) {
        let path = try ExecutablePath.find(configuration.executable)
        memoryLimit = max(1 << 20, configuration.memoryLimit)
        outputLimit = min(max(1 << 10, configuration.outputLimit), 1 << 30)
        let milliseconds = max(1, configuration.timeLimit.milliseconds)
        let arguments =
            [path] + [JavaScriptWire.version, Int(getpid()), milliseconds, outputLimit, memoryLimit].map(String.init)
        var identifier: Int32 = 0
        var socket: Int32 = -1
        let error = unsafe ChildProcess.withPointers(arguments) { pointers in
            unsafe settee_js_spawn(path, pointers.baseAddress, &identifier, &socket)
        }
        guard error == 0 else {
            throw .unavailable(
                "The program settee-js cannot be started (errno \(error)). Check the file and the limits of processes."
            )
        }
        self.identifier = identifier
        self.socket = socket
        try greet()
    }

    deinit { settee_js_end(identifier, socket) }

    private func greet() throws(JavaScriptError) {
        let frame: [UInt8]
        do throws(ChildFailure) {
            frame = try receiveGreeting(within: ChildProcess.patience)
        } catch {
            // Versions before 3 end without a word.
            let isOther = settee_js_exit_status(identifier, 1000) == SETTEE_JS_USAGE
            throw isOther ? .otherVersion(nil) : .crashed
        }
        switch frame.first.map({ Int32($0) }) {
        case SETTEE_JS_READY where frame.count == 2 && frame[1] < 2: return
        case SETTEE_JS_LIBRARY_MISSING where frame.count == 1: throw .libraryMissing
        case SETTEE_JS_OTHER_VERSION where frame.count == 2: throw .otherVersion(Int(frame[1]))
        default: throw .crashed
        }
    }

    /// Calls `body` with arguments as C wants them: an array that ends with NULL.
    private static func withPointers<R>(
        _ arguments: [String],
        _ body: (UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>) -> R
    ) -> R {
        var pointers = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
        return unsafe pointers.withUnsafeMutableBufferPointer { unsafe body($0) }
    }
}

extension JavaScriptError {
    fileprivate static var libraryMissing: JavaScriptError {
        .unavailable(
            "JavaScriptCore, which runs functions of design documents, is not installed. "
                + "Install libjavascriptcoregtk-4.1-0."
        )
    }

    /// - Parameter version: That of the child; nil: it did not say.
    fileprivate static func otherVersion(_ version: Int?) -> JavaScriptError {
        .unavailable(
            "The program settee-js, which runs functions of design documents, is of "
                + (version.map { "version \($0)" } ?? "an older version")
                + ", and this program needs version \(JavaScriptWire.version). Install the one of the same release."
        )
    }
}
