#include "cubcal/inspection/page_style.h"

namespace cubcal {

std::string page_style() {
  return R"css(
:root {
  color-scheme: light dark;
  --paper: #ffffff; --card: #f6f7f8; --line: #d9dde1; --ink: #1b1f23; --muted: #59636e;
  --leak: #b23c00; --warning: #8a5a00; --note: #00609c; --tint: 0, 114, 178;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #16191d; --card: #1f2429; --line: #363d45; --ink: #e6e9ec; --muted: #9aa5b1;
    --leak: #ff8a50; --warning: #f0b429; --note: #62b5f0; --tint: 86, 180, 233;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2rem 1.5rem 4rem; max-width: 72rem; background: var(--paper);
  color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif;
}
h1 { font-size: 1.7rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem; padding-bottom: .25rem;
     border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.25rem 0 .25rem; }
p { margin: .4rem 0; max-width: 60rem; overflow-wrap: anywhere; }
.muted, figcaption small { color: var(--muted); }
dl.read { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; }
dl.read dt { color: var(--muted); }
dl.read dd { margin: 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .5rem 0; }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid var(--line); }
th { font-weight: 600; }
th:first-child, td:first-child { text-align: left; }
tr.all td, tr.all th { border-top: 2px solid var(--line); font-weight: 600; }
td.rule { box-shadow: inset 0 0 0 2px var(--warning); }
td small { color: var(--muted); }
.summary { font-size: 1.05rem; }
article { background: var(--card); border-left: .3rem solid var(--line); border-radius: .3rem;
          padding: .7rem 1rem; margin: .8rem 0; }
article.leak { border-left-color: var(--leak); }
article.warning { border-left-color: var(--warning); }
article.note { border-left-color: var(--note); }
.tag { font-weight: 700; white-space: nowrap; margin-right: .5rem; }
.leak .tag { color: var(--leak); }
.warning .tag { color: var(--warning); }
.note .tag { color: var(--note); }
.sets { display: flex; flex-wrap: wrap; gap: .7rem; margin-top: .6rem; }
.set { display: flex; flex-wrap: wrap; gap: .4rem; padding: .45rem; background: var(--paper);
       border: 1px solid var(--line); border-radius: .3rem; break-inside: avoid; }
figure { margin: 0; width: 100px; break-inside: avoid; }
figure .frame { width: 100px; height: 100px; display: flex; align-items: center;
                justify-content: center; background: #808080; border-radius: .15rem; }
figure img { max-width: 100px; max-height: 100px; display: block; }
figure img.tiny { width: 100px; image-rendering: pixelated; }
figure .frame.none { color: #ffffff; font-size: .75rem; }
figcaption { font-size: .75rem; line-height: 1.3; margin-top: .15rem; }
figcaption b, figcaption small { display: block; overflow: hidden; text-overflow: ellipsis;
                                 white-space: nowrap; }
.strip { display: grid; grid-template-columns: 6.5rem 1fr; gap: .6rem; margin: .4rem 0; }
.strip .images { display: flex; flex-wrap: wrap; gap: .4rem; }
.charts { display: flex; flex-wrap: wrap; gap: 1rem; }
ul.reasons { margin: .4rem 0; padding-left: 1.2rem; overflow-wrap: anywhere; }
@media print {
  body { padding: 0; max-width: none; font-size: 10pt; }
  article { border: 1px solid var(--line); border-left-width: .3rem; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
)css";
}

}  // namespace cubcal
