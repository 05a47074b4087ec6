internal import SetteeSystemLibrary

/// Identifies the current thread; for comparison only.
package struct ThreadIdentity: Hashable, Sendable {
    private let value: UInt

    package static var current: ThreadIdentity { ThreadIdentity(value: currentThread()) }

    private static func currentThread() -> UInt {
        #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
        #elseif canImport(Musl)
        UInt(bitPattern: pthread_self())
        #else
        UInt(pthread_self())
        #endif
    }
}
