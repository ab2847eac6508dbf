// SPDX-License-Identifier: MIT
// Colours are named once for each scheme: light in the first :root, dark in the second (tests/page_test.cpp computes
// the contrast of each pair). Nothing may be wider than the window but inside a box that scrolls by itself.
#include "page_style.h"

namespace iobench {

const std::string_view page_style = R"css(
:root {
  color-scheme: light dark;
  --back: #ffffff;
  --ink: #1d2024;
  --soft-ink: #59616b;
  --link: #0a5ca8;
  --line: #d7dbe0;
  --panel: #f4f6f8;
  --shade: #00000026;
  --good-ink: #0d5a36;
  --good-back: #daf1e2;
  --bad-ink: #96191b;
  --bad-back: #fde3e1;
  --open-ink: #5b4700;
  --open-back: #f7ecc6;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --back: #1a1a1a;
    --ink: #e3e5e8;
    --soft-ink: #a3a9b1;
    --link: #82bcf5;
    --line: #3a3f46;
    --panel: #24272b;
    --shade: #000000b0;
    --good-ink: #93e3b5;
    --good-back: #173a29;
    --bad-ink: #ffb3ac;
    --bad-back: #4c1f1d;
    --open-ink: #ecd27c;
    --open-back: #3d3511;
  }
  /* The pictures are drawn on white: lightness is turned round, hues stay, white becomes --back. */
  .picture img { filter: invert(0.898) hue-rotate(180deg); }
}
* { box-sizing: border-box; }
html {
  -webkit-text-size-adjust: 100%;
  text-size-adjust: 100%;
  scroll-padding-top: 1rem;
}
body {
  margin: 0 auto;
  padding: 1.25rem 1rem 4rem;
  max-width: 82rem;
  background: var(--back);
  color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans",
    sans-serif;
}
header, nav, main { min-width: 0; }
h1, h2, h3, h4, p, li, figcaption, summary { overflow-wrap: anywhere; }
h1, h2, h3, h4 { line-height: 1.25; text-wrap: balance; }
h1 { font-size: 1.7rem; margin: 0 0 1rem; }
h2 {
  font-size: 1.4rem;
  margin: 3rem 0 0.75rem;
  padding-top: 0.75rem;
  border-top: 1px solid var(--line);
}
h3, h4 { font-size: 1.06rem; margin: 1.75rem 0 0.4rem; }
h2 a, h3 a, h4 a { color: inherit; text-decoration: none; }
h2 a:hover, h3 a:hover, h4 a:hover { text-decoration: underline; }
p, ul { max-width: 46rem; }
p { margin: 0.6rem 0; }
ul { margin: 0.5rem 0; padding-left: 1.25rem; }
li { margin: 0.3rem 0; }
li::marker { color: var(--soft-ink); }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
code, pre {
  font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace;
  font-size: 0.86em;
}
code { padding: 0.1em 0.3em; border-radius: 3px; background: var(--panel); }
code.short { white-space: nowrap; }
pre {
  margin: 0.75rem 0;
  padding: 0.75rem 1rem;
  border-radius: 6px;
  background: var(--panel);
  line-height: 1.5;
  overflow-x: auto;
}
pre code { padding: 0; background: none; }
summary { cursor: pointer; color: var(--link); }
.callout {
  max-width: 46rem;
  margin: 1rem 0;
  padding: 0.5rem 1rem;
  border-left: 4px solid var(--open-ink);
  border-radius: 0 6px 6px 0;
  background: var(--open-back);
}
.callout ul { margin: 0; }
.callout code { background: none; padding: 0; }

nav {
  margin: 1.5rem 0;
  padding: 0.75rem 1rem;
  border-radius: 6px;
  background: var(--panel);
  font-size: 0.94rem;
}
nav h2 { margin: 0 0 0.25rem; padding: 0; border: 0; font-size: 0.94rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li { margin: 0; }
nav a { display: block; padding: 0.25rem 0; line-height: 1.35; text-decoration: none; }
nav a:hover { text-decoration: underline; }

figure { margin: 1.25rem 0 1.75rem; }
figcaption { max-width: 46rem; margin-bottom: 0.4rem; font-weight: 600; line-height: 1.35; }
/* The shade at the right end says that there is more; the ground that covers it scrolls along with the content. */
.scroll {
  max-width: 100%;
  overflow-x: auto;
  background:
    linear-gradient(to left, var(--back) 1rem, transparent) right / 2.5rem 100% no-repeat local,
    linear-gradient(to left, var(--shade), transparent) right / 0.75rem 100% no-repeat scroll;
}
/* Whole pixels: cells that stay and cells that scroll are rounded apart. */
table {
  border-collapse: separate;
  border-spacing: 0;
  font-size: 0.875rem;
  line-height: 1.25rem;
  font-variant-numeric: tabular-nums lining-nums;
}
th, td {
  padding: 0.3125rem 0.75rem;
  border-bottom: 1px solid var(--line);
  text-align: left;
  vertical-align: top;
  white-space: nowrap;
}
th { font-weight: 600; }
thead th {
  vertical-align: bottom;
  white-space: normal;
  color: var(--soft-ink);
  border-bottom: 2px solid var(--line);
}
tbody th { font-weight: 500; }
tbody tr:hover > * { background: var(--panel); }
th:first-child, td:first-child { padding-left: 0.25rem; }
.number { text-align: right; }
.prose { white-space: normal; min-width: 14rem; max-width: 30rem; overflow-wrap: anywhere; }
.lead { position: sticky; left: 0; background: var(--back); border-right: 1px solid var(--line); }
.notes {
  margin: 0.5rem 0 0;
  padding-left: 1.1rem;
  color: var(--soft-ink);
  font-size: 0.85rem;
  line-height: 1.45;
}
.notes li { margin: 0.15rem 0; }

.picture img { display: block; width: 100%; min-width: 45rem; max-width: 62rem; height: auto; }
.picture + figcaption {
  margin: 0.5rem 0 0;
  font-weight: 400;
  font-size: 0.9rem;
  color: var(--soft-ink);
}

.badge {
  display: inline-block;
  padding: 0.1em 0.55em;
  border-radius: 999px;
  font-size: 0.82em;
  font-weight: 650;
  letter-spacing: 0.02em;
  white-space: nowrap;
}
.badge.good { color: var(--good-ink); background: var(--good-back); }
.badge.bad { color: var(--bad-ink); background: var(--bad-back); }
.badge.open { color: var(--open-ink); background: var(--open-back); }

@media screen and (min-width: 72rem) {
  body {
    display: grid;
    grid-template: "contents head" auto "contents text" 1fr / 14rem minmax(0, 1fr);
    column-gap: 3rem;
    padding: 2.5rem 2rem 6rem;
  }
  header { grid-area: head; }
  main { grid-area: text; }
  nav {
    grid-area: contents;
    position: sticky;
    top: 1.5rem;
    align-self: start;
    max-height: calc(100vh - 3rem);
    overflow-y: auto;
    margin: 0;
  }
}
@media print {
  @page { margin: 16mm 14mm; }
  html { font-size: 10pt; }
  body { padding: 0; max-width: none; }
  nav { display: none; }
  a { color: inherit; text-decoration: none; }
  h1, h2, h3, h4, figcaption { break-after: avoid; }
  p, ul { max-width: none; orphans: 3; widows: 3; }
  figure, .callout, tr, li, pre { break-inside: avoid; }
  thead { display: table-header-group; }
  .scroll, pre { overflow: visible; background: none; }
  pre { padding: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
  table { font-size: 8pt; line-height: 1.35; }
  th, td { padding: 0.2rem 0.45rem; }
  .prose { min-width: 8rem; }
  .lead { position: static; }
  .picture img { min-width: 0; max-width: 100%; }
  .badge { border: 0.75pt solid; }
}
@media (forced-colors: active) {
  .badge { border: 1px solid; }
}
)css";

}  // namespace iobench
