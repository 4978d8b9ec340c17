/** The current fault, the form that sets one, and what a request got, in words. */
import { describeSettings, faultNames, faults, reachInputs } from "../faults/Faults.ts"
import { forcedOutcomes } from "../service/Outcomes.ts"
import type { SandboxFault, StoredRequest } from "../Types.ts"
import { type Html, html } from "../Html.ts"
import { action } from "./Parts.ts"

const reach = ({ rate, times }: SandboxFault): string => {
  if (rate !== undefined) {
    const share = `${Number((rate * 100).toPrecision(6))} % of the requests`
    return `${share}, ${times === undefined ? "until cleared" : `${times} in all`}`
  }
  if (times === undefined) return "until cleared"
  return times === 1 ? "next request" : `next ${times} requests`
}

/** `Slow response, 5 s · next request`. */
const describeFault = (fault: SandboxFault): string =>
  `${describeSettings(fault)} · ${reach(fault)}`

/** Describes what a request got; empty if it got the correct response. */
export const describeFaulted = ({
  fault,
  forced
}: Pick<StoredRequest, "fault" | "forced">): string => {
  const outcome = forcedOutcomes.find(({ suffix }) => suffix === forced)
  if (outcome !== undefined) return `${forced}: ${outcome.response.replaceAll("`", "")}`
  return fault === undefined ? "" : faults[fault].title
}

const current = (fault: SandboxFault): Html => html`
  <section class="fault-bar line spread wrap" aria-label="Current fault">
    <p><strong>Fault set</strong> ${describeFault(fault)}</p>
    ${action(
      { method: "DELETE", path: "/_sandbox/fault", class: "line" },
      html`<button>Clear fault</button>`
    )}
  </section>
`

export const faultBar = (fault: SandboxFault | undefined): Html => html`
  <div id="fault" data-live>${fault === undefined ? undefined : current(fault)}</div>
`

/** The style sheet shows the settings of the chosen fault. The script sends only what is shown. */
export const faultForm = html`
  <button type="button" popovertarget="set-fault">Set fault</button>
  <div class="menu card padded" id="set-fault" popover>
    ${action(
      { method: "PUT", path: "/_sandbox/fault", class: "stack" },
      html`
        <label class="field">
          What goes wrong
          <select name="fault">
            ${faultNames.map((name) => html`<option value="${name}">${faults[name].title}</option>`)}
          </select>
        </label>
        ${faultNames.map((name) => {
          const { accepted, inputs, response } = faults[name]
          return html`
            <div class="stack for-${name}">
              <p class="hint">
                The client sees ${response}. SMS accepted: ${accepted.replaceAll("`", "")}.
              </p>
              ${inputs}
            </div>
          `
        })}
        ${reachInputs}
        <button class="primary">Set fault</button>
      `
    )}
  </div>
`

/** The part of the style sheet that is about the form. */
export const faultStyle = `${faultNames
  .map((name) => `form:not(:has([value="${name}"]:checked)) .for-${name}`)
  .join(",\n")} {
  display: none;
}
`
