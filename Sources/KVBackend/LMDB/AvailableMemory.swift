internal import SetteeSystemLibrary

/// The memory for pages of files: that of the machine, or less where the process is in a control group with a limit.
enum AvailableMemory {
    /// A file below this size is not compared with the memory.
    private static let smallFile: UInt64 = 64 << 20
    private static let largestText = 4096

    /// Whether a file of `size` bytes may take more memory than there is, and so would drive its own pages out: whether
    /// it is larger than half of the memory. The other half is for the process itself, and for the file to grow.
    static func isExceeded(byFileOf size: UInt64) -> Bool {
        guard size >= smallFile, let memory = bytes() else { return false }
        return size > memory / 2
    }

    /// - Parameters:
    ///   - groups: What lists the process's control groups, one in a line: `0::/a/b` (version 2) or `4:memory:/a/b`.
    ///   - root: Where the control groups are mounted.
    /// - Returns: Nil if the system does not tell.
    static func bytes(groups: String = "/proc/self/cgroup", root: String = "/sys/fs/cgroup") -> UInt64? {
        var limit: UInt64?
        let pages = sysconf(CInt(_SC_PHYS_PAGES))
        let pageSize = sysconf(CInt(_SC_PAGESIZE))
        if pages > 0, pageSize > 0 {
            let (bytes, overflow) = UInt64(pages).multipliedReportingOverflow(by: UInt64(pageSize))
            if !overflow { limit = bytes }
        }
        for line in (text(of: groups) ?? "").split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            let found =
                if parts[1].isEmpty {
                    lowest("memory.max", from: parts[2], under: root)
                } else if parts[1].split(separator: ",").contains("memory") {
                    lowest("memory.limit_in_bytes", from: parts[2], under: root + "/memory")
                } else {
                    UInt64?.none
                }
            if let found { limit = min(found, limit ?? .max) }
        }
        return limit
    }

    /// Returns the lowest limit of a group and those that it is in.
    private static func lowest(_ name: String, from group: Substring, under root: String) -> UInt64? {
        var lowest: UInt64?
        var path = group
        while true {
            // A limit of version 2 may be the word `max`.
            if let limit = text(of: "\(root)\(path)/\(name)").flatMap({ UInt64($0.prefix { $0 != "\n" }) }) {
                lowest = min(limit, lowest ?? .max)
            }
            guard let slash = path.lastIndex(of: "/") else { return lowest }
            path = path[..<slash]
        }
    }

    private static func text(of path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }
        return unsafe withUnsafeTemporaryAllocation(byteCount: largestText, alignment: 1) { buffer in
            let count = unsafe read(descriptor, buffer.baseAddress, buffer.count)
            return count > 0 ? unsafe String(decoding: buffer.prefix(count), as: UTF8.self) : nil
        }
    }
}
