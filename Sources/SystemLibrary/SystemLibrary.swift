// The C library of the platform, under one name: files that call it import this module.
#if canImport(Darwin)
@_exported public import Darwin
#elseif canImport(Musl)
@_exported public import Musl
#elseif canImport(Glibc)
@_exported public import Glibc
#endif
