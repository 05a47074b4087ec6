internal import CSetteeJavaScript
internal import SetteeSystemLibrary

// `settee-js` is started by the module SetteeJavaScript, with the version of the wire format, the host's process ID,
// and the limits: milliseconds, bytes of output, bytes of memory.

let numbers = CommandLine.arguments.dropFirst().map { UInt64($0) }
guard numbers.count == 5, let version = numbers[0], version == UInt64(SETTEE_JS_VERSION),
    let host = numbers[1].flatMap({ Int32(exactly: $0) }), let milliseconds = numbers[2],
    let outputLimit = numbers[3].flatMap({ Int(exactly: $0) }), let memoryLimit = numbers[4]
else {
    let text = "settee-js runs functions of design documents for settee. It is not for use from a shell.\n"
    _ = unsafe text.utf8.withContiguousStorageIfAvailable { unsafe write(2, $0.baseAddress, $0.count) }
    if numbers.count == 5 { Connection().send([UInt8(SETTEE_JS_OTHER_VERSION), UInt8(SETTEE_JS_VERSION)]) }
    exit(SETTEE_JS_USAGE)
}

settee_js_begin(memoryLimit)
let connection = Connection()
guard settee_js_open(Double(milliseconds) / 1000, outputLimit) else {
    connection.send([UInt8(SETTEE_JS_LIBRARY_MISSING)])
    exit(69)
}
guard settee_js_watch_host(host) else { exit(71) }
let worker = Worker(connection)
// The library opens what it needs, and starts its threads, before that is forbidden.
guard worker.warmUp() else { exit(70) }
let isFiltered = settee_js_confine()
connection.send([UInt8(SETTEE_JS_READY), isFiltered ? 1 : 0])
worker.run()
