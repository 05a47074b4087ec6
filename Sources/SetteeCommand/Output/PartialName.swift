internal import Foundation
internal import SetteeSystemLibrary

/// The names in a file's folder under which its next content is written: `<file>.<8 hexadecimal digits>.partial`.
struct PartialName {
    private static let ending = ".partial"
    private static let digits = 8

    private let target: String

    init(target: String) { self.target = target }

    /// The folder of the target.
    var folder: String {
        guard let slash = target.lastIndex(of: "/") else { return "." }
        return slash == target.startIndex ? "/" : String(target[..<slash])
    }

    private var file: Substring { target.lastIndex(of: "/").map { target[target.index(after: $0)...] } ?? target[...] }

    /// Returns a new name.
    func new() -> String { "\(target).\(UUID().uuidString.prefix(Self.digits))\(Self.ending)" }

    /// Removes the partial files of killed processes for this target: those of this user that are not locked.
    func sweep() {
        guard let stream = unsafe opendir(folder) else { return }
        defer { unsafe _ = closedir(stream) }
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(validatingCString: $0) }
            }
            if let name, isPartial(name) { remove(folder + "/" + name) }
        }
    }

    private func isPartial(_ name: String) -> Bool {
        guard name.hasPrefix(file + "."), name.hasSuffix(Self.ending) else { return false }
        let middle = name.utf8.dropFirst(file.utf8.count + 1).dropLast(Self.ending.utf8.count)
        return middle.count == Self.digits
            && middle.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x46).contains($0) }
    }

    private func remove(_ path: String) {
        let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            flock(descriptor, LOCK_EX | LOCK_NB) == 0
        else { return }
        _ = unsafe unlink(path)
    }
}
