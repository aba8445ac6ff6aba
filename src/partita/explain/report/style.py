"""How the page of a report looks: system fonts, dark on light, one column, also on paper."""

STYLE = """
:root { color-scheme: light; --ink: #222; --faint: #666; --line: #d9d9d9; --ground: #f6f6f4; --mark: #0b5394; }
* { box-sizing: border-box; }
body { margin: 0; background: #fff; color: var(--ink);
  font: 16px/1.5 system-ui, "Noto Sans", "DejaVu Sans", sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.35rem; margin: 2.75rem 0 .5rem; padding-top: .75rem; border-top: 2px solid var(--ink); }
h3 { font-size: 1.05rem; margin: 1.5rem 0 .25rem; }
p, li, dd { max-width: 46rem; }
.lead { font-size: 1.15rem; color: var(--faint); margin-top: 0; }
ul, ol { padding-left: 1.4rem; margin: .25rem 0; }
li { margin: .2rem 0; }
dl { margin: .25rem 0; }
dt { font-weight: 600; margin-top: .6rem; }
dd { margin: 0 0 0 1.1rem; }
dd dl dt { font-weight: 500; color: var(--faint); margin-top: .25rem; }
code { font: .88em/1.4 ui-monospace, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
.wide { overflow-x: auto; margin: .75rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th { text-align: left; border-bottom: 2px solid var(--ink); padding: .35rem .6rem .35rem 0; vertical-align: bottom; }
td { border-bottom: 1px solid var(--line); padding: .35rem .6rem .35rem 0; vertical-align: top; min-width: 4.5rem; }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
td code { display: inline-block; min-width: 16rem; }
.theorem { color: var(--mark); white-space: nowrap; font-size: .85em;
  border: 1px solid currentColor; border-radius: .6em; padding: 0 .45em; }
.unsaid { color: var(--faint); font-style: italic; }
figure { margin: 1rem 0; background: var(--ground); padding: .75rem; }
figure svg { display: block; width: 100%; max-width: 44rem; height: auto; }
figcaption { color: var(--faint); font-size: .88rem; margin-top: .4rem; }
footer { margin-top: 3rem; color: var(--faint); border-top: 1px solid var(--line); }
@media print { main { max-width: none; padding: 0; }
  h2 { break-after: avoid; } tr, figure { break-inside: avoid; } .wide { overflow: visible; } }
"""
