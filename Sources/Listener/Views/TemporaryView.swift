internal import SetteeDesignDocuments
internal import SetteeViews

/// The view of a `_temp_view`. Releasing it removes the view.
final class TemporaryView: Sendable {
    let view: DatabaseView
    private let designs: DesignDocuments
    private let threads: BlockingThreads

    init(_ view: DatabaseView, of designs: DesignDocuments, threads: BlockingThreads) {
        self.view = view
        self.designs = designs
        self.threads = threads
    }

    deinit {
        Task { [view, designs, threads] in try? await threads.run { try designs.removeTemporaryView(view) } }
    }
}
