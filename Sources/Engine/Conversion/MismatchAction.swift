/// What to do if an existing database has another engine than the requested one.
public enum MismatchAction: Sendable {
    /// Convert it before it is opened: see `Database.convert`.
    case upgrade
    /// Do not open it: `invalidStorageType` (497).
    case fail
}
