/**
 * The style sheet of the page, as text: it has no build. This part is about elements that every view
 * has; `ViewStyle.ts` is about each view.
 */
export const style = /* CSS */ `
:root {
  color-scheme: light dark;
  --page: light-dark(#f5f6f4, #111413);
  --surface: light-dark(#ffffff, #191d1c);
  --sunken: light-dark(#eef0ed, #151918);
  --line: light-dark(#e1e5e1, #2b3130);
  --line-strong: light-dark(#868f8a, #6f7a76);
  --text: light-dark(#17201c, #e8edea);
  --soft: light-dark(#56615c, #a0aca6);
  --accent: light-dark(#0b6e5a, #58d1ae);
  --on-accent: light-dark(#ffffff, #06231b);
  --tint: light-dark(#e2f3ec, #17352c);
  --warn: light-dark(#855200, #f2be5c);
  --warn-tint: light-dark(#fdf3dd, #35290f);
  --moving: light-dark(#245fa8, #93c0f7);
  --failed: light-dark(#b3261e, #ff9d92);
  --failed-tint: light-dark(#fdeceb, #3b1d1b);
  --mono: ui-monospace, "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font: 0.9375rem/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  font-variant-numeric: tabular-nums;
}

* {
  box-sizing: border-box;
}

body {
  display: flex;
  flex-direction: column;
  height: 100dvh;
  margin: 0;
  background: var(--page);
  color: var(--text);
}

main {
  flex: 1;
  min-height: 0;
}

:is(h1, h2, h3, p, ul, dl, dd, pre) {
  margin: 0;
  padding: 0;
  list-style: none;
}
h1 {
  font-size: 1rem;
  white-space: nowrap;
}

:is(h3, dt, .hint, .field) {
  color: var(--soft);
  font-size: 0.8125rem;
}

a {
  color: var(--accent);
}

:is(code, pre, textarea) {
  font: 0.8125rem/1.5 var(--mono);
}

:is(bdi, pre, code, .excerpt, .bubble) {
  unicode-bidi: isolate;
  overflow-wrap: anywhere;
}

:is(pre, .bubble) {
  white-space: pre-wrap;
}

:focus-visible {
  outline: 2px solid var(--accent);
  outline-offset: -2px;
}

.line {
  display: flex;
  align-items: center;
  gap: 0.5rem;
}

.spread {
  justify-content: space-between;
}

.wrap {
  flex-wrap: wrap;
}

/* Without max-content, the row of a card shrinks to the window. */
.stack {
  display: grid;
  grid-auto-rows: max-content;
  grid-template-columns: minmax(0, 1fr);
  gap: 0.875rem;
}

.padded {
  padding: 0.875rem 1.125rem;
}

.card {
  overflow: hidden;
  border: 1px solid var(--line);
  border-radius: 0.75rem;
  background: var(--surface);
}
.cards > * + *,
.screen {
  border-top: 1px solid var(--line);
}

.pane {
  height: 100%;
  overflow-y: auto;
}

.empty {
  padding: 4rem 1.25rem;
  text-align: center;
}
.empty pre {
  text-align: start;
}

/* For screen readers. */
.hidden {
  position: absolute;
  clip-path: inset(50%);
}

:is(.notice, .problem) {
  padding: 0.5rem 1.25rem;
  background: var(--failed-tint);
  color: var(--failed);
}
.problem {
  flex-basis: 100%;
  padding-inline: 0.75rem;
  border-radius: 0.5rem;
  font-size: 0.875rem;
  overflow-wrap: anywhere;
}
.problem:empty,
body:not([data-copies]) .copy,
[hidden] {
  display: none !important;
}

[aria-busy="true"] button {
  opacity: 0.6;
}

:is(button, input, select, textarea) {
  min-width: 0;
  min-height: 2.25rem;
  padding: 0.25rem 0.75rem;
  border: 1px solid var(--line-strong);
  border-radius: 0.5rem;
  background: var(--surface);
  color: var(--text);
}
:is(button, input, select) {
  font: inherit;
}
button {
  display: inline-flex;
  align-items: center;
  border-color: var(--line);
  font-size: 0.875rem;
  white-space: nowrap;
  cursor: pointer;
}
button:hover,
[aria-pressed="true"] {
  border-color: var(--accent);
}

:is(.primary, .copy) {
  justify-self: start;
}
.primary {
  background: var(--accent);
  color: var(--on-accent);
}

[type="checkbox"] {
  min-height: 1.125rem;
  accent-color: var(--accent);
}

::placeholder {
  color: var(--soft);
}

.field {
  display: grid;
  gap: 0.25rem;
}

.pill {
  justify-self: start;
  padding: 0 0.5rem;
  border: 1px solid var(--line);
  border-radius: 0.75rem;
  background: var(--sunken);
  color: var(--soft);
  font-size: 0.8125rem;
  white-space: nowrap;
}
.pill[data-tone="failed"] {
  color: var(--failed);
}

:is(#state, .status)::before {
  content: "";
  display: inline-block;
  width: 0.5rem;
  height: 0.5rem;
  margin-inline-end: 0.4375rem;
  border-radius: 50%;
  background: currentColor;
}
.status {
  color: var(--soft);
  font: 600 0.6875rem/1.5 var(--mono);
}
.status[data-status="SANDBOX_SENT"] {
  color: var(--moving);
}
.status[data-status="SANDBOX_DELIVERED"] {
  color: var(--accent);
}

#state {
  color: var(--failed);
  font-size: 0.8125rem;
  white-space: nowrap;
}
#state[data-live-now] {
  color: var(--accent);
}

:is(.fault, .warning) {
  justify-self: start;
  padding: 0 0.5rem;
  border-radius: 0.375rem;
  background: var(--failed-tint);
  color: var(--failed);
  font-size: 0.8125rem;
}
.warning {
  background: var(--warn-tint);
  color: var(--warn);
}
`
