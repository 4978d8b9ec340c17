/**
 * The icon of each state. Its shape says the same as its colour, for people who cannot see the colour.
 */
import { type Html, html, trusted } from "./Html.ts"
import type { ShownState } from "./Summary.ts"

/** The definitions of the icons. Each icon on the page refers to one of them. */
export const iconSymbols: Html =
  trusted(`<svg class="symbols" width="0" height="0" aria-hidden="true" focusable="false">
<symbol id="sent" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7.5" fill="currentColor"/><path class="cut" d="M4.6 8.3l2.3 2.3 4.5-5" fill="none" stroke-width="1.8"/></symbol>
<symbol id="rejected" viewBox="0 0 16 16"><rect x="1" y="1" width="14" height="14" rx="2.5" fill="currentColor"/><path class="cut" d="M5 5l6 6m0-6l-6 6" fill="none" stroke-width="1.8"/></symbol>
<symbol id="unknown" viewBox="0 0 16 16"><path d="M8 .4L15.6 8 8 15.6.4 8z" fill="currentColor"/><path class="cut" d="M6.2 6.4c.2-2.3 3.8-2.2 3.6.1C9.7 7.9 8 7.7 8 9.3m0 1.5v1.3" fill="none" stroke-width="1.5"/></symbol>
<symbol id="closed" viewBox="0 0 16 16"><rect x="1" y="1" width="14" height="14" rx="2.5" fill="none" stroke="currentColor" stroke-width="2"/><path d="M4.5 8h7" stroke="currentColor" stroke-width="2"/></symbol>
<symbol id="in-flight" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" stroke-width="2"/><path d="M8 4a4 4 0 010 8z" fill="currentColor"/></symbol>
<symbol id="waiting" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" stroke-width="2"/></symbol>
<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="6" height="6"/><path d="M0 0v6"/></pattern>
</svg>`)

export const stateIcon = (state: ShownState): Html =>
  html`<svg class="icon ${state}" aria-hidden="true" focusable="false">
    <use href="#${state}" />
  </svg>`
