import Foundation
import StorageConformance

/// Headless Chromium, which lays pages out as readers see them.
struct Browser {
    /// The widths of a phone, a tablet and a desktop.
    static let widths = [320, 768, 1280]

    static let program: String? = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    var isDark = false

    /// What was found wrong with a page at one width.
    struct Report: Decodable {
        var width: Int
        /// The luminance of the background: 0 black, 1 white.
        var back: Double
        var charts: Int
        var problems: [String]
    }

    /// Lays a page out at every width and checks that nothing is clipped, overlapping or empty.
    func check(_ page: String) throws -> [Report] {
        let frames = Browser.widths.map { width in
            let text = page.replacing("&", with: "&amp;").replacing("\"", with: "&quot;")
            return "<iframe width=\"\(width)\" height=\"900\" style=\"border:0\" srcdoc=\"\(text)\"></iframe>"
        }
        let wrapper = """
            <!DOCTYPE html><meta charset="utf-8"><body>\(frames.joined())<pre id="report"></pre>
            <script>\(Browser.script)</script></body>
            """
        let dom = try run(wrapper, ["--dump-dom"])
        guard let start = dom.range(of: "<pre id=\"report\">"),
            let end = dom.range(of: "</pre>", range: start.upperBound..<dom.endIndex)
        else { throw Failed(text: "no report in \(dom.suffix(300))") }
        let json = dom[start.upperBound..<end.lowerBound]
            .replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&amp;", with: "&")
        return try JSONDecoder().decode([Report].self, from: Data(json.utf8))
    }

    /// Returns the bytes of a picture of the page (PNG).
    func picture(_ page: String, width: Int) throws -> Data {
        let folder = try TemporaryPlace()
        let file = folder.url.appending(path: "page.png")
        _ = try run(page, ["--window-size=\(width),1600", "--screenshot=\(file.path)"])
        return try Data(contentsOf: file)
    }

    struct Failed: Error {
        var text: String
    }

    private func run(_ page: String, _ options: [String]) throws -> String {
        let folder = try TemporaryPlace()
        let file = folder.url.appending(path: "page.html")
        try Data(page.utf8).write(to: file)
        let process = Process()
        process.executableURL = URL(filePath: Browser.program ?? "")
        process.arguments =
            [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
                "--user-data-dir=\(folder.url.appending(path: "profile").path)",
                "--blink-settings=preferredColorScheme=\(isDark ? 0 : 1)", "--virtual-time-budget=10000",
            ] + options + [file.absoluteString]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed(text: "Chromium: \(process.terminationStatus)") }
        return text
    }

    /// Runs in the wrapper, over all frames.
    private static let script = """
        addEventListener('load', () => {
          const reports = [...document.querySelectorAll('iframe')].map(frame => {
            const inner = frame.contentDocument, problems = [];
            inner.querySelectorAll('details').forEach(d => d.open = true);
            const root = inner.documentElement;
            if (root.scrollWidth > frame.clientWidth) problems.push('wider than the window: ' + root.scrollWidth);
            const scrolls = e => e.closest('.scroll, .plot');
            inner.body.querySelectorAll('*').forEach(e => {
              if (e.closest('svg') || scrolls(e)) return;
              if (e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0) problems.push('clipped: ' + e.tagName + ' ' + e.className);
            });
            const touch = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
            const charts = [...inner.querySelectorAll('figure')];
            charts.forEach(figure => {
              const name = figure.querySelector('h3') ? figure.querySelector('h3').textContent : '?';
              if (!figure.querySelector('svg rect, svg polyline, svg circle')) problems.push('empty: ' + name);
              figure.querySelectorAll('svg').forEach(svg => {
                const box = svg.getBoundingClientRect();
                if (box.width < 10 || box.height < 5) problems.push('no size: ' + name);
                svg.querySelectorAll('text, rect, circle, polyline').forEach(e => {
                  const b = e.getBoundingClientRect();
                  if (b.left < box.left - 1.5 || b.right > box.right + 1.5 || b.top < box.top - 1.5 || b.bottom > box.bottom + 1.5)
                    problems.push('outside: ' + e.tagName + ' of ' + name);
                });
                svg.querySelectorAll('text').forEach(e => {
                  const size = parseFloat(getComputedStyle(e).fontSize) * box.width / (svg.viewBox.baseVal.width || box.width);
                  if (size < 10) problems.push('small text: ' + size.toFixed(1) + ' in ' + name);
                });
              });
              const texts = [...figure.querySelectorAll('text, p > span, h3')].filter(e => e.textContent);
              texts.forEach((e, i) => texts.slice(i + 1).forEach(o => {
                if (touch(e.getBoundingClientRect(), o.getBoundingClientRect()))
                  problems.push('overlap in ' + name + ': ' + e.textContent + ' / ' + o.textContent);
              }));
            });
            const rgb = getComputedStyle(inner.body).backgroundColor.match(/\\d+/g).map(Number);
            return { width: frame.clientWidth, back: (rgb[0] + rgb[1] + rgb[2]) / 765, charts: charts.length, problems };
          });
          document.getElementById('report').textContent = JSON.stringify(reports);
        });
        """
}

/// A temporary folder that goes with its owner.
private final class TemporaryPlace {
    let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }
}
