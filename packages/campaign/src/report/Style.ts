/**
 * The style of a report: light or dark as the system is, for screens of any width, and for paper.
 *
 * People with any kind of colour blindness can tell the three colours of outcomes apart.
 */
export const style = `
:root {
  color-scheme: light dark;
  --page: light-dark(#f5f6f4, #111413);
  --surface: light-dark(#fff, #191d1c);
  --sunken: light-dark(#eef0ed, #222826);
  --line: light-dark(#e1e5e1, #2b3130);
  --text: light-dark(#17201c, #e8edea);
  --soft: light-dark(#56615c, #a0aca6);
  --accent: light-dark(#0b6e5a, #58d1ae);
  --sent: light-dark(#1d5fa6, #7db2ea);
  --rejected: light-dark(#b83a55, #f08ca0);
  --unknown: light-dark(#b07d0a, #e9c255);
  --waiting: light-dark(#868f8a, #7f8b86);
  --notice: light-dark(#fdf6e4, #2b2617);
  --notice-line: light-dark(#ecd9a8, #55491f);
  --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font: 400 0.9375rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  -webkit-text-size-adjust: none;
  text-size-adjust: none;
}
*, ::before, ::after { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); }
h1, h2, p, dl, dd, ol, pre, figure { margin: 0; padding: 0; }
header, main, footer { max-width: 68rem; margin: 0 auto; padding: 0 1.5rem; }
header { padding-top: 3rem; padding-bottom: 1.75rem; }
main { display: grid; gap: 1.25rem; }
footer { padding-top: 1.5rem; padding-bottom: 3rem; text-wrap: pretty; }
footer, .hint { color: var(--soft); font-size: 0.8125rem; }
h1 { font-size: 2rem; font-weight: 650; line-height: 1.2; letter-spacing: -0.02em; }
h2 { font-size: 1.125rem; font-weight: 650; letter-spacing: -0.01em; line-height: 1.35; }
bdi { unicode-bidi: isolate; overflow-wrap: anywhere; white-space: pre-wrap; }
a { color: var(--accent); text-underline-offset: 0.2em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; border-radius: 0.25rem; }
code, pre, .keys tbody th { font-family: var(--mono); font-size: 0.8125rem; }
time, dd, td, .figures th, svg text { font-variant-numeric: tabular-nums; }
.eyebrow { color: var(--accent); font-size: 0.8125rem; font-weight: 600; margin-bottom: 0.375rem; }
.about { display: flex; flex-wrap: wrap; gap: 0.375rem 1rem; align-items: center; margin-top: 0.875rem; color: var(--soft); }
.card { min-width: 0; padding: 1.5rem 1.75rem 1.625rem; border: 1px solid var(--line); border-radius: 0.75rem; background: var(--surface); }
.lead { max-width: 46rem; color: var(--soft); text-wrap: pretty; }
.sent { --ink: var(--sent); }
.rejected { --ink: var(--rejected); }
.unknown { --ink: var(--unknown); }
.closed, .waiting, .in-flight { --ink: var(--waiting); }

#outcomes strong { font-size: 2.5rem; font-weight: 650; letter-spacing: -0.03em; line-height: 1.15; font-variant-numeric: tabular-nums; }
.counts { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: 1.25rem 1rem; }
.counts div { min-width: 0; }
.counts dt { border-inline-start: 0.25rem solid var(--ink); padding-inline-start: 0.5rem; color: var(--soft); font-size: 0.875rem; }
.counts dd { font-size: 1.5rem; font-weight: 600; letter-spacing: -0.02em; line-height: 1.35; }
.counts small { display: block; color: var(--soft); font-size: 0.8125rem; font-weight: 400; letter-spacing: 0; }

.notice { padding: 1rem 1.25rem; border: 1px solid var(--notice-line); border-radius: 0.75rem; background: var(--notice); }

.plot { display: block; width: 100%; height: 12rem; margin-top: 1.25rem; border-bottom: 1px solid var(--waiting); }
.plot path { fill: var(--ink); }
.axis { display: flex; justify-content: space-between; gap: 1rem; margin-top: 0.375rem; color: var(--soft); font-size: 0.75rem; font-variant-numeric: tabular-nums; }

details { margin-top: 1rem; }
summary { width: fit-content; color: var(--accent); font-size: 0.875rem; font-weight: 500; cursor: pointer; }
table { width: 100%; border-collapse: collapse; margin-top: 1rem; }
caption { padding-bottom: 0.25rem; color: var(--soft); font-size: 0.8125rem; text-align: start; }
th { padding: 0.375rem 0.75rem; border-bottom: 1px solid var(--line); color: var(--soft); font-size: 0.8125rem; font-weight: 500; text-align: start; vertical-align: bottom; }
td, tbody th { padding: 0.5625rem 0.75rem; border-bottom: 1px solid var(--line); vertical-align: top; }
tbody th { color: inherit; font-size: inherit; font-weight: 400; }
tr > :first-child { padding-inline-start: 0; }
tr > :last-child { padding-inline-end: 0; }
tbody tr:last-child > * { border-bottom: 0; }
.reasons tr > :last-child, .figures tr > :not(:first-child), .keys tr > :last-child { text-align: end; white-space: nowrap; }
.keys th, .keys td { overflow-wrap: anywhere; }
.keys tbody th, .keys tbody td { white-space: pre-wrap; }
.none { margin-top: 1rem; color: var(--soft); }
.dense td, .dense tbody th { padding-block: 0.3125rem; font-size: 0.8125rem; }

.choices { display: grid; gap: 0.875rem; margin: 1rem 0 0.25rem; list-style: none; }
.choices + .hint { margin-top: 0.875rem; }
.choices li { display: grid; grid-template-columns: 15.5rem minmax(0, 1fr); gap: 0.25rem 1.25rem; align-items: center; }
pre { padding: 0.5rem 0.75rem; border: 1px solid var(--line); border-radius: 0.5rem; background: var(--sunken); white-space: pre-wrap; overflow-wrap: anywhere; }

@media (max-width: 44rem) {
  header, main, footer { padding-inline: 1rem; }
  header { padding-top: 1.75rem; padding-bottom: 1.25rem; }
  h1 { font-size: 1.5rem; }
  .card { padding: 1.125rem 1.125rem 1.25rem; }
  .choices li { grid-template-columns: minmax(0, 1fr); }
  th, td, tbody th { padding-inline: 0.375rem; }
  .keys thead th { overflow-wrap: normal; }
  .keys tr > :last-child { width: 5.5rem; white-space: normal; }
}
@media print {
  :root { color-scheme: light; --page: #fff; font-size: 10pt; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  @page { margin: 15mm; }
  header, main, footer { max-width: none; padding-inline: 0; }
  header, footer { padding-block: 0 1rem; }
  .card { border: 0; border-top: 1px solid var(--line); border-radius: 0; padding: 1.25rem 0; }
  .card:has(.plot), .choices li, tr, .notice { break-inside: avoid; }
  h2, caption { break-after: avoid; }
  details:not([open]), a[href^="#"] { display: none; }
}
`
