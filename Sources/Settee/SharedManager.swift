internal import Foundation
internal import SetteeEngine
internal import StorageProtocol

/// The shared manager of the default directory.
enum SharedManager {
    private static let manager = Locked<Manager?>(nil)

    static func get() throws(StorageError) -> Manager {
        try manager.withLock { (present) throws(StorageError) in
            if let present { return present }
            let fresh = try Manager(directory: directory)
            present = fresh
            return fresh
        }
    }

    static var directory: URL {
        #if canImport(Darwin)
        var base = URL.applicationSupportDirectory
        #if os(macOS)
        if let identifier = Bundle.main.bundleIdentifier { base.append(path: identifier) }
        #endif
        return base.appending(path: "Settee", directoryHint: .isDirectory)
        #else
        let environment = ProcessInfo.processInfo.environment
        // The XDG specification requires relative paths to be ignored.
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
            return URL(filePath: data, directoryHint: .isDirectory).appending(
                path: "Settee",
                directoryHint: .isDirectory
            )
        }
        return URL.homeDirectory.appending(path: ".local/share/Settee", directoryHint: .isDirectory)
        #endif
    }
}
