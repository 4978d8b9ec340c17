/** The part of the style sheet that is about the top of the page and about each view. */
export const viewStyle = /* CSS */ `
.top {
  position: relative;
  gap: 1.5rem;
  padding: 0 1.25rem;
  border-bottom: 1px solid var(--line);
  background: var(--surface);
}

.tabs a {
  padding: 1rem 0.75rem;
  border-block: 2px solid transparent;
  color: var(--soft);
  font-size: 0.875rem;
  text-decoration: none;
}
.tabs [aria-current="page"] {
  border-bottom-color: currentColor;
  color: var(--accent);
}

.tools {
  margin-inline-start: auto;
}

.menu {
  inset: 3.75rem 1rem auto auto;
  width: min(24rem, calc(100% - 2rem));
  max-height: calc(100dvh - 5rem);
  overflow-y: auto;
  box-shadow: 0 24px 64px rgb(0 0 0 / 0.24);
  color: inherit;
}

.fault-bar {
  padding: 0.375rem 1.25rem;
  background: var(--warn-tint);
  color: var(--warn);
}

.split {
  display: grid;
  grid-template-columns: minmax(17rem, 26rem) minmax(0, 1fr);
  height: 100%;
}
.split:has(> [hidden]) {
  grid-template-columns: minmax(0, 1fr);
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
  width: 100%;
}

.row {
  display: grid;
  grid-template-columns: minmax(0, 1fr);
  position: relative;
  gap: 0.1875rem;
  padding: 0.75rem 1rem 0.75rem 1.375rem;
  border-bottom: 1px solid var(--line);
  color: inherit;
  text-decoration: none;
}

/* Nobody has opened it. A visited link may change its colours only. */
.row::before {
  content: "";
  position: absolute;
  inset: 1.125rem auto auto 0.5rem;
  width: 0.4375rem;
  height: 0.4375rem;
  border-radius: 50%;
  background-color: var(--accent);
}
.row:visited::before {
  background-color: var(--surface);
}
.row[aria-current]::before {
  display: none;
}

.row:hover,
.request:hover,
.screen {
  background: var(--sunken);
}
.row[aria-current] {
  background: var(--tint);
  box-shadow: inset 3px 0 var(--accent);
}
.row time {
  white-space: nowrap;
}

:is(.parties, .excerpt) {
  display: -webkit-box;
  -webkit-box-orient: vertical;
  -webkit-line-clamp: 1;
  min-width: 0;
  overflow: hidden;
}
.parties {
  word-break: break-all;
}
.excerpt {
  -webkit-line-clamp: 2;
  color: var(--soft);
  font-size: 0.875rem;
}

.pages {
  text-align: center;
  justify-content: center;
  padding: 1rem;
}

.detail,
.wide {
  --width: 44rem;
  align-content: start;
  padding: 1.5rem max(1rem, (100% - var(--width)) / 2) 3rem;
}

.wide {
  --width: 64rem;
}

.back {
  display: none;
}

.bubble {
  width: fit-content;
  min-width: 3rem;
  max-width: min(30rem, 88%);
  padding: 0.625rem 0.9375rem;
  border-radius: 1.125rem 1.125rem 1.125rem 0.3125rem;
  background: var(--tint);
}

.figures {
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

.request > * {
  min-width: 0;
}
.request .parties {
  font-size: 0.875rem;
}
.request::before {
  content: "›";
  color: var(--soft);
}
[open] > .request::before {
  rotate: 90deg;
}
.request {
  display: grid;
  grid-template-columns: 0.5rem 7rem minmax(8rem, 1.25fr) 7rem 4.5rem minmax(10rem, 2fr);
  align-items: baseline;
  gap: 0.25rem 0.875rem;
  padding: 0.6875rem 1.125rem;
  cursor: pointer;
}

.outcome {
  gap: 0 0.75rem;
  font-size: 0.875rem;
}

@media (max-width: 60rem) {
  .top {
    flex-wrap: wrap;
    gap: 0;
    padding-top: 0.375rem;
  }

  .tabs {
    order: 1;
    width: 100%;
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
  .split[data-open="false"] .row:not(:hover) {
    background: none;
    box-shadow: none;
  }

  .back {
    display: block;
    text-decoration: none;
  }

  .request {
    display: flex;
    flex-wrap: wrap;
  }

  .outcome {
    width: 100%;
  }
}
`
