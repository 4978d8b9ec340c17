/**
 * The style of a report: light or dark as the system is, for screens of any width.
 *
 * People with any kind of colour blindness can tell the three colours of outcomes apart.
 */
export const style = `
:root {
  color-scheme: light dark;
  --page: light-dark(#f5f6f4, #111413);
  --surface: light-dark(#fff, #191d1c);
  --line: light-dark(#e1e5e1, #2b3130);
  --text: light-dark(#17201c, #e8edea);
  --soft: light-dark(#56615c, #a0aca6);
  --sent: light-dark(#1d5fa6, #7db2ea);
  --rejected: light-dark(#b83a55, #f08ca0);
  --unknown: light-dark(#b07d0a, #e9c255);
  --waiting: light-dark(#868f8a, #7f8b86);
  font: 0.9375rem/1.55 system-ui, sans-serif;
}
*, ::before, ::after { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font-variant-numeric: tabular-nums; }
h1, h2, p, dl, dd, ol, pre { margin: 0; padding: 0; }
header, main, footer { max-width: 68rem; margin: 0 auto; padding: 1.5rem 1rem; }
main { display: grid; gap: 1.25rem; padding-block: 0; }
h1 { font-size: 1.75rem; line-height: 1.2; }
h2 { font-size: 1.125rem; line-height: 1.35; }
bdi { unicode-bidi: isolate; overflow-wrap: anywhere; white-space: pre-wrap; }
section { min-width: 0; padding: 1.25rem 1.5rem; border: 1px solid var(--line); border-radius: 0.75rem; background: var(--surface); }
.soft, .counts dt, .counts small, caption, thead th { color: var(--soft); }
.soft, small, caption, thead th, pre { font-size: 0.8125rem; }
.sent { --ink: var(--sent); }
.rejected { --ink: var(--rejected); }
.unknown { --ink: var(--unknown); }
.closed, .freed, .waiting, .repeated, .in-flight { --ink: var(--waiting); }

.counts { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: 1.25rem 1rem; margin-top: 1rem; }
.counts dt { border-inline-start: 0.25rem solid var(--ink); padding-inline-start: 0.5rem; }
.counts dd { font-size: 1.5rem; font-weight: 600; line-height: 1.35; }
.counts small { display: block; font-weight: 400; }

.plot { display: block; width: 100%; height: 12rem; margin-top: 1.25rem; border-bottom: 1px solid var(--waiting); }
.plot path { fill: var(--ink); }
.axis { display: flex; justify-content: space-between; gap: 1rem; }

details { margin-top: 1rem; }
summary { cursor: pointer; }
table { width: 100%; font-size: 0.875rem; border-collapse: collapse; margin-top: 1rem; }
caption, th { text-align: start; }
th, td { padding: 0.375rem 0.5rem; border-bottom: 1px solid var(--line); vertical-align: top; font-weight: 400; }
tbody th { overflow-wrap: anywhere; }
[data-table="time"] tr > :not(:first-child), [data-table="reasons"] tr > :last-child { text-align: end; }

ol { display: grid; gap: 0.875rem; margin: 1rem 0; list-style: none; }
pre { padding: 0.5rem 0.75rem; border: 1px solid var(--line); border-radius: 0.5rem; white-space: pre-wrap; overflow-wrap: anywhere; }
`
