internal import SetteeSystemLibrary

// Reads everything in data files through LMDB, in a process of its own: KVBackendProbe FILE... One line for each file:
// how many entries, and a digest of them; or the code of LMDB's error.

for path in CommandLine.arguments.dropFirst() {
    print(FileReading(path: path).line)
    fflush(nil)
}
