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

    /// - Throws: `unavailable` if there is no such program or library; `crashed` if it ends at its start.
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
                "The program \(path) cannot be started (errno \(error)). Check the file and the limits of processes."
            )
        }
        self.identifier = identifier
        self.socket = socket
        try greet()
    }

    deinit { settee_js_end(identifier, socket) }

    private func greet() throws(JavaScriptError) {
        do throws(ChildFailure) {
            let frame = try receiveGreeting(within: ChildProcess.patience)
            if frame == [UInt8(SETTEE_JS_READY), 0] || frame == [UInt8(SETTEE_JS_READY), 1] { return }
            guard frame == [UInt8(SETTEE_JS_LIBRARY_MISSING)] else { throw .crashed }
        } catch {
            throw .crashed
        }
        throw .unavailable(
            "JavaScriptCore, which runs functions of design documents, is not installed. "
                + "Install libjavascriptcoregtk-4.1-0."
        )
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
