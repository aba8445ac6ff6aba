"""How the page of a report looks: system fonts, one column, a first sheet to sign, cards on a phone, also on paper."""

STYLE = """
:root { color-scheme: light; --ink: #1f1f1f; --faint: #595959; --line: #d0d0d0; --ground: #f6f6f4; --paper: #ffffff;
  --mark: #0b4a83; --alarm: #8a3a00; --alarm-ground: #fff6ea; }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, "Noto Sans", "DejaVu Sans", sans-serif; overflow-wrap: break-word; }
main { max-width: 62rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .4rem; }
h2 { font-size: 1.3rem; line-height: 1.25; margin: 2.5rem 0 .5rem; padding-top: .7rem;
  border-top: 2px solid var(--ink); }
h3 { font-size: 1.05rem; margin: 1.4rem 0 .25rem; }
p, li, dd { max-width: 48rem; }
a { color: var(--mark); }
.lead { font-size: 1.12rem; color: var(--faint); margin-top: 0; }
.warning { background: var(--alarm-ground); border: 2px solid var(--alarm); border-radius: .4rem; padding: .7rem 1rem;
  margin: 1rem 0; }
.warning h2 { color: var(--alarm); border: 0; margin: 0 0 .25rem; padding: 0; font-size: 1.1rem; }
#summary h2, .sign h2 { margin-top: 1.25rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: .5rem 1.5rem;
  margin: 1rem 0; }
.facts dt { color: var(--faint); font-weight: 400; margin: 0; font-size: .88rem; }
.facts dd { margin: 0; }
.hash { font-size: .88rem; color: var(--faint); }
.lines { display: grid; grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); gap: 0 1.5rem; margin: 0; }
.lines dd { margin: 0; height: 2.6rem; border-bottom: 1px solid var(--ink); }
.lines dt { margin: .15rem 0 0; font-weight: 400; font-size: .85rem; color: var(--faint); }
nav ol { columns: 20rem; column-gap: 2rem; }
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
td { border-bottom: 1px solid var(--line); padding: .35rem .6rem .35rem 0; vertical-align: top; }
th.n, td.n { text-align: right; font-variant-numeric: tabular-nums; }
.theorem { color: var(--mark); white-space: nowrap; font-size: .85em;
  border: 1px solid currentColor; border-radius: .6em; padding: 0 .45em; }
.loss { white-space: nowrap; }
.unsaid { color: var(--faint); font-style: italic; }
figure { margin: 1rem 0; padding: .75rem; border: 1px solid var(--line); border-radius: .4rem; }
figure svg { display: block; width: 100%; max-width: 44rem; height: auto; margin: 0 auto; }
figcaption { color: var(--faint); font-size: .88rem; margin-top: .4rem; }
footer { margin-top: 3rem; color: var(--faint); border-top: 1px solid var(--line); }
@media screen and (max-width: 44rem) {
  main { padding: 1.25rem 1rem 3rem; }
  h1 { font-size: 1.5rem; }
  thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  table, tbody, tr, td { display: block; }
  tr { border-bottom: 2px solid var(--line); padding: .4rem 0; }
  td, td.n { border: 0; padding: .1rem 0; text-align: left; }
  td:empty { display: none; }
  td::before { content: attr(data-head); display: block; color: var(--faint); font-size: .8rem; }
}
@media print {
  @page { margin: 16mm 15mm; }
  html { font-size: 9.5pt; }
  body { line-height: 1.4; }
  main { max-width: none; padding: 0; }
  p, li, dd { max-width: none; }
  h2 { margin-top: 1.4rem; }
  .lines { grid-template-columns: 1fr 1fr; }
  h2, h3, dt { break-after: avoid; }
  tr, figure, .warning, .sign { break-inside: avoid; }
  nav { break-before: page; }
  .wide { overflow: visible; }
  figure svg { max-width: 13cm; }
  a { color: inherit; text-decoration: none; }
}
"""
