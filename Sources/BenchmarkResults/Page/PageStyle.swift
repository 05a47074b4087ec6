/// The style of the page: light and dark, on a phone and on paper. The engines' colours are those of Okabe and Ito,
/// which people with any colour vision can tell apart; lines differ by their dashes too.
enum PageStyle {
    /// How many engines have a look of their own. A further one looks like the first again; its name is beside it.
    static let looks = 8

    static let sheet: StaticString = """
        :root{color-scheme:light dark;--back:#fff;--fore:#1c1f23;--soft:#59616b;--rule:#d5dae0;--track:#eef1f4;\
        --e0:#0072b2;--e1:#d55e00;--e2:#009e73;--e3:#a64d79;--e4:#8a6d00;--e5:#3a8fc4;--e6:#555;--e7:#7b3f00}
        @media(prefers-color-scheme:dark){:root{--back:#14171a;--fore:#e8ebee;--soft:#a2abb5;--rule:#343b43;\
        --track:#22272d;--e0:#56b4e9;--e1:#f08040;--e2:#2fc79a;--e3:#dd9abf;--e4:#e0c040;--e5:#9ad0f5;--e6:#bbb;\
        --e7:#d8a070}}
        *{box-sizing:border-box}
        body{margin:0 auto;max-width:72rem;padding:1rem;background:var(--back);color:var(--fore);\
        font:15px/1.45 system-ui,-apple-system,"Segoe UI",sans-serif;overflow-wrap:anywhere}
        h1{font-size:1.6rem;margin:.4rem 0}h2{font-size:1.2rem;margin:2.2rem 0 .6rem;padding-top:.6rem;\
        border-top:1px solid var(--rule)}h3{font-size:1rem;margin:0 0 .3rem}
        p,li{max-width:46rem}.soft{color:var(--soft)}
        .grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,21rem),1fr));gap:1.4rem 2rem}
        figure{margin:0;break-inside:avoid;min-width:0}
        .bar{margin:.35rem 0}.bar p{margin:0;display:flex;flex-wrap:wrap;gap:0 .7rem;justify-content:space-between;\
        font-size:13px}.bar svg{display:block;width:100%;height:14px;background:var(--track)}
        .engine{font-weight:600}
        .limit{stroke:var(--fore);stroke-width:2}.whisker{stroke:var(--fore);stroke-width:1}
        .plot{overflow-x:auto}.plot svg{display:block;width:100%;min-width:280px;max-width:30rem;height:auto}
        .plot text{font-size:11px;fill:var(--soft)}.axis{stroke:var(--rule);stroke-width:1}
        .curve{fill:none;stroke-width:2}
        .key{display:flex;flex-wrap:wrap;gap:.1rem 1rem;margin:.2rem 0;padding:0;list-style:none;font-size:13px}
        .key svg{width:26px;height:10px;margin-right:.35rem}
        .f0{fill:var(--e0)}.f1{fill:var(--e1)}.f2{fill:var(--e2)}.f3{fill:var(--e3)}.f4{fill:var(--e4)}\
        .f5{fill:var(--e5)}.f6{fill:var(--e6)}.f7{fill:var(--e7)}
        .s0{stroke:var(--e0)}.s1{stroke:var(--e1);stroke-dasharray:7 3}.s2{stroke:var(--e2);stroke-dasharray:2 3}\
        .s3{stroke:var(--e3);stroke-dasharray:9 3 2 3}.s4{stroke:var(--e4);stroke-dasharray:4 4}\
        .s5{stroke:var(--e5);stroke-dasharray:12 4}.s6{stroke:var(--e6);stroke-dasharray:1 4}\
        .s7{stroke:var(--e7);stroke-dasharray:6 2 1 2 1 2}
        .scroll{overflow-x:auto;margin:.6rem 0}table{border-collapse:collapse;font-size:13px;\
        font-variant-numeric:tabular-nums}th,td{padding:.2rem .7rem .2rem 0;text-align:right;white-space:nowrap;\
        border-bottom:1px solid var(--rule)}th.text,td.text{text-align:left}
        details{margin:.8rem 0}summary{cursor:pointer;color:var(--soft)}
        dl{display:grid;grid-template-columns:minmax(6rem,max-content) minmax(0,1fr);gap:.1rem 1rem;font-size:13px}\
        dt{color:var(--soft)}dd{margin:0}
        @media print{:root{--back:#fff;--fore:#000;--soft:#333;--rule:#999;--track:#eee}body{max-width:none;\
        font-size:11px}.scroll,.plot{overflow:visible}table{font-size:8px}th,td{padding-right:.4rem}\
        .bar svg,.key svg,.plot svg{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
        """
}
