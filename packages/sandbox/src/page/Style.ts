/**
 * The style sheet of the page, as text: it has no build.
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
  --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace;
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

:is(h1, h2, h3, p, ul, dl, dd, pre) {
  margin: 0;
  padding: 0;
  list-style: none;
}

h1 {
  font-size: 1rem;
  white-space: nowrap;
}

h2 {
  font-size: 1.375rem;
  line-height: 1.3;
}

h3,
dt,
.hint {
  color: var(--soft);
  font-size: 0.8125rem;
}

a {
  color: var(--accent);
  text-underline-offset: 0.2em;
}

:is(code, pre, textarea) {
  font-family: var(--mono);
  font-size: 0.8125rem;
}

pre {
  overflow: auto;
  white-space: pre-wrap;
  text-align: start;
}

:is(bdi, pre, code, .excerpt, .bubble) {
  unicode-bidi: isolate;
  overflow-wrap: anywhere;
}

main {
  flex: 1;
  min-height: 0;
}

/* Layout */

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

.stack {
  display: grid;
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

.empty {
  max-width: 42rem;
  margin: 0 auto;
  padding: clamp(2rem, 8vh, 6rem) 1.25rem;
  text-align: center;
}

.hidden {
  position: absolute;
  width: 1px;
  height: 1px;
  overflow: hidden;
  clip-path: inset(50%);
  white-space: nowrap;
}

.skip {
  position: fixed;
  z-index: 3;
  top: -4rem;
  padding: 0.5rem 0.875rem;
  background: var(--accent);
  color: var(--on-accent);
}

.skip:focus {
  top: 0;
}

:focus-visible {
  outline: 2px solid var(--accent);
  outline-offset: -2px;
}

main:focus {
  outline: none;
}

/* Forms */

:is(button, input, select, textarea, .button) {
  min-height: 2.25rem;
  padding: 0 0.75rem;
  border: 1px solid var(--line-strong);
  border-radius: 0.5rem;
  background: var(--surface);
  color: inherit;
  font: inherit;
}

:is(button, .button) {
  display: inline-flex;
  align-items: center;
  border-color: var(--line);
  font-size: 0.875rem;
  font-weight: 500;
  white-space: nowrap;
  cursor: pointer;
}

:is(button, .button):hover {
  border-color: var(--line-strong);
}

.primary {
  justify-self: start;
  border-color: var(--accent);
  background: var(--accent);
  color: var(--on-accent);
}

[aria-pressed="true"] {
  border-color: var(--accent);
  background: var(--tint);
}

input {
  min-width: 0;
}

input[type="checkbox"] {
  width: 1.125rem;
  min-height: 1.125rem;
  accent-color: var(--accent);
}

textarea {
  padding-block: 0.4375rem;
  resize: vertical;
}

::placeholder {
  color: var(--soft);
  opacity: 1;
}

.field {
  display: grid;
  gap: 0.25rem;
  color: var(--soft);
  font-size: 0.8125rem;
}

.field > * {
  color: var(--text);
}

.menu {
  position: relative;
}

.menu summary {
  list-style: none;
}

.menu form {
  position: absolute;
  z-index: 2;
  inset: calc(100% + 0.5rem) 0 auto auto;
  width: min(24rem, calc(100vw - 2rem));
  padding: 1.125rem;
  box-shadow: 0 24px 64px rgb(0 0 0 / 0.24);
}

form:not(:has([value="Response"]:checked)) .for-response,
form:not(:has([value="NoResponse"]:checked)) .for-no-response,
form:not(:has([value="Slow"]:checked)) .for-slow {
  display: none;
}

/* The top of the page */

.top {
  gap: 1.5rem;
  padding: 0 1rem 0 1.25rem;
  border-bottom: 1px solid var(--line);
  background: var(--surface);
}

.tabs a {
  display: flex;
  align-items: center;
  gap: 0.5rem;
  min-height: 3.5rem;
  padding: 0 0.75rem;
  border-block: 2px solid transparent;
  color: var(--soft);
  font-size: 0.875rem;
  font-weight: 500;
  text-decoration: none;
}

.tabs a[aria-current="page"] {
  border-bottom-color: currentColor;
  color: var(--accent);
}

.tools {
  margin-inline-start: auto;
}

#state {
  white-space: nowrap;
}

:is(#state, .status, .fault)::before {
  content: "";
  display: inline-block;
  width: 0.5rem;
  height: 0.5rem;
  margin-inline-end: 0.4375rem;
  border-radius: 50%;
  background: currentColor;
}

.pill {
  padding: 0 0.5rem;
  border: 1px solid var(--line);
  border-radius: 0.6875rem;
  background: var(--sunken);
  color: var(--soft);
  font-size: 0.8125rem;
  font-weight: 600;
  line-height: 1.25rem;
  white-space: nowrap;
}

.pill[data-tone="done"] {
  background: var(--tint);
  color: var(--accent);
}

.pill[data-tone="failed"] {
  background: var(--failed-tint);
  color: var(--failed);
}

.fault {
  color: var(--warn);
  font-size: 0.8125rem;
}

.fault-bar {
  padding: 0.375rem 1rem 0.375rem 1.25rem;
  background: var(--warn-tint);
  color: var(--warn);
}

.fault-bar button {
  border-color: currentColor;
  background: none;
}

.notice {
  padding: 0.5rem 1.25rem;
  background: var(--failed-tint);
  color: var(--failed);
}

.notice:empty {
  display: none;
}

/* Messages */

.split {
  display: grid;
  grid-template-columns: minmax(17rem, 26rem) minmax(0, 1fr);
  height: 100%;
}

.split:has(#detail[hidden]) {
  grid-template-columns: minmax(0, 1fr);
}

.pane {
  height: 100%;
  overflow-y: auto;
}

#pane {
  border-inline-end: 1px solid var(--line);
  background: var(--surface);
}

.search {
  padding: 0.75rem 1rem;
  border-bottom: 1px solid var(--line);
}

.search input {
  flex: 1;
}

.row {
  display: grid;
  gap: 0.1875rem;
  padding: 0.75rem 1rem;
  border-bottom: 1px solid var(--line);
  color: inherit;
  text-decoration: none;
}

.row:hover,
summary.request:hover {
  background: var(--sunken);
}

.row[aria-current] {
  background: var(--tint);
  box-shadow: inset 3px 0 var(--accent);
}

.row .hint {
  flex: none;
}

.one-line {
  overflow: hidden;
  text-overflow: ellipsis;
  white-space: nowrap;
}

.excerpt {
  display: -webkit-box;
  -webkit-box-orient: vertical;
  -webkit-line-clamp: 2;
  overflow: hidden;
  color: var(--soft);
  font-size: 0.875rem;
}

.status {
  overflow: hidden;
  color: var(--soft);
  font: 600 0.6875rem/1.5 var(--mono);
}

.status[data-status="SANDBOX_QUEUED"] {
  color: var(--warn);
}

.status[data-status="SANDBOX_SENT"] {
  color: var(--moving);
}

.status[data-status="SANDBOX_DELIVERED"] {
  color: var(--accent);
}

.pages {
  justify-content: center;
  gap: 1.5rem;
  padding: 1rem;
}

.detail {
  display: grid;
  align-content: start;
  /* Without this, the row of an element with hidden overflow shrinks to the window. */
  grid-auto-rows: max-content;
  grid-template-columns: minmax(0, 44rem);
  justify-content: center;
  gap: 1.25rem;
  padding: 1.5rem clamp(1rem, 4vw, 3rem) 3rem;
}

.detail[hidden],
.back {
  display: none;
}

.screen {
  border-top: 1px solid var(--line);
  background: var(--sunken);
}

.bubble {
  width: fit-content;
  min-width: 3rem;
  max-width: min(30rem, 88%);
  padding: 0.625rem 0.9375rem;
  border-radius: 1.125rem 1.125rem 1.125rem 0.3125rem;
  background: var(--tint);
  white-space: pre-wrap;
}

.figures {
  display: flex;
  flex-wrap: wrap;
  gap: 0.5rem 2.5rem;
}

.figures dd {
  font-weight: 600;
}

.fields > div {
  display: grid;
  grid-template-columns: 9rem minmax(0, 1fr);
  padding: 0.625rem 1.125rem;
}

.fields > div + div,
.cards > li + li {
  border-top: 1px solid var(--line);
}

/* Requests, and the page that sends */

.wide {
  align-content: start;
  padding: 1.75rem max(1.25rem, (100% - 64rem) / 2) 3rem;
}

.wide textarea,
.wide .field input {
  max-width: 32rem;
}

.request {
  display: grid;
  grid-template-columns: 10rem minmax(8rem, 1.2fr) 7rem minmax(10rem, 2fr) 4.5rem;
  align-items: baseline;
  gap: 0.25rem 0.875rem;
  padding: 0.6875rem 1.125rem;
  cursor: pointer;
  list-style: none;
}

.request .pill {
  justify-self: start;
}

.outcome {
  display: flex;
  flex-wrap: wrap;
  gap: 0.125rem 0.75rem;
  font-size: 0.875rem;
}

.end {
  text-align: end;
}

.outcome-row {
  display: grid;
  grid-template-columns: 9rem minmax(0, 1fr) auto;
  align-items: baseline;
  gap: 0.875rem;
  padding: 0.5rem 1.125rem;
}

@media (max-width: 60rem) {
  .top {
    flex-wrap: wrap;
    gap: 0 1rem;
    padding: 0.375rem 1rem 0;
  }

  .tabs {
    order: 3;
    width: 100%;
  }

  .tabs a {
    flex: 1;
    justify-content: center;
    min-height: 2.875rem;
  }
}

@media (max-width: 46rem) {
  .split {
    grid-template-columns: minmax(0, 1fr);
  }

  .split[data-open="false"] #detail,
  .split[data-open="true"] #pane {
    display: none;
  }

  .split[data-open="false"] .row[aria-current]:not(:hover) {
    background: none;
    box-shadow: none;
  }

  .back {
    display: block;
    padding: 0.5rem 0;
  }

  .detail {
    padding-top: 0.5rem;
  }

  .search,
  .tools {
    flex-wrap: wrap;
  }

  .fields > div {
    grid-template-columns: minmax(0, 1fr);
  }

  .request {
    grid-template-columns: minmax(0, 1fr) auto;
  }

  .outcome {
    grid-column: 1 / -1;
  }

  .outcome-row {
    grid-template-columns: minmax(0, 1fr) auto;
  }
}
`
