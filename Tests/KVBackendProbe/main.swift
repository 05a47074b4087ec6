internal import SetteeSystemLibrary

// Reads everything in data files through LMDB, in a process of its own: KVBackendProbe FILE... Prints one line for each
// file: the number of entries and their digest, or the code of LMDB's error.

for path in CommandLine.arguments.dropFirst() {
    print(FileReading(path: path).line)
    fflush(nil)
}
