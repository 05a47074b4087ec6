/// Makes the MACs of a database's manifests, with a key derived from the database's key.
package protocol ManifestSealing: Sendable {
    /// Returns the MAC of a manifest's text: 64 lower-case hexadecimal digits.
    func code(of text: ArraySlice<UInt8>) -> [UInt8]
}
