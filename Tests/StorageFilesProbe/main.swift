// A second process for the tests of StorageFiles: does one thing to one folder and reports the outcome on standard
// output. Tests kill it with `kill -9` and trace it with strace, so it works on its main thread only.

import SetteeStorageFiles
import SetteeSystemLibrary
import StorageProtocol

var arguments = CommandLine.arguments.dropFirst()

if arguments.first == "--as-nobody" {
    arguments = arguments.dropFirst()
    guard setgid(65_534) == 0, setuid(65_534) == 0 else { exit(3) }
}
guard let command = arguments.popFirst(), let path = arguments.popFirst() else { exit(2) }

/// Prints one line at once: the tests read it while this process is running.
func say(_ text: String) {
    let line = Array((text + "\n").utf8)
    unsafe line.withUnsafeBytes { _ = unsafe write(1, $0.baseAddress, $0.count) }
}

/// Waits until the test closes its end.
func waitForEnd() {
    var byte: UInt8 = 0
    while unsafe read(0, &byte, 1) > 0 {}
}

do {
    // What comes before this line in a trace belongs to the start of the process.
    _ = unsafe access("/settee-probe-begins", F_OK)
    try Probe.run(command, path, Array(arguments))
    say("done")
} catch {
    say("error \(error.status) \(error.code): \(error.message)")
    exit(1)
}
