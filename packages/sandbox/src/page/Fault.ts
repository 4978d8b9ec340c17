/** The current fault, the form that sets one, and what a request got, in words. */
import { describeSettings, faultNames, faults, type Input } from "../faults/Faults.ts"
import { forcedOutcomes } from "../service/Outcomes.ts"
import type { SandboxFault, StoredRequest } from "../Types.ts"
import { action, type Html, html } from "./Html.ts"

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
export const describeRecorded = ({
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

const control = ({ attributes = {}, name, type }: Input): Html => {
  const given = Object.entries(attributes).map(([key, value]) => html`${key}="${value}" `)
  return type === "text" || type === "headers"
    ? html`<textarea name="${name}" rows="2" data-type="${type}" ${given}></textarea>`
    : html`<input name="${name}" type="${type}" ${given} />`
}

const input = (setting: Input, shownFor = ""): Html =>
  setting.type === "checkbox"
    ? html`<label class="line ${shownFor}">${control(setting)} ${setting.label}</label>`
    : html`<label class="field ${shownFor}">${setting.label} ${control(setting)}</label>`

const times: Input = {
  name: "times",
  label: "For how many requests (empty: until it is cleared)",
  type: "number",
  attributes: { min: 1, value: 1 }
}

const rate: Input = {
  name: "rate",
  label: "Share, such as 0.02",
  type: "number",
  attributes: { min: 0.000001, max: 1, step: "any" }
}

const seed: Input = { name: "seed", label: "Seed of the share", type: "number" }

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
            <p class="hint for-${name}">
              The client sees ${response}. SMS accepted: ${accepted.replaceAll("`", "")}.
            </p>
            ${inputs.map((each) => input(each, `for-${name}`))}
          `
        })}
        ${input(times)}
        <div class="line">${input(rate)} ${input(seed)}</div>
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
