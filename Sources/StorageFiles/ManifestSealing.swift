/// Makes the MACs of a database's manifests, with a key that is derived from the database's.
package protocol ManifestSealing: Sendable {
    /// The MAC of a manifest's text: 64 hexadecimal digits in lower case.
    func code(of text: ArraySlice<UInt8>) -> [UInt8]
}
