/** The form fields of each kind of fault. */
import { headersProblem } from "./FaultForm.ts"
import { type FaultName, hasNoFields } from "./Faults.ts"

const StatusField = ({ from, to, value }: { from: number; to: number; value: number }) => (
  <label class="field">
    <span>Status</span>
    <input name="status" type="number" min={from} max={to} defaultValue={String(value)} required />
  </label>
)

const ResponseFields = () => (
  <>
    <StatusField from={200} to={599} value={503} />
    <label class="field">
      <span>Body</span>
      <textarea name="body" rows={3} spellcheck={false} placeholder="empty" />
    </label>
    <label class="field">
      <span>Headers, one per line</span>
      <textarea
        name="headers"
        rows={2}
        spellcheck={false}
        placeholder="Retry-After: 1"
        onInput={({ currentTarget }) =>
          currentTarget.setCustomValidity(headersProblem(currentTarget.value))
        }
      />
    </label>
  </>
)

export const FaultFields = ({ fault }: { fault: FaultName }) => {
  if (hasNoFields(fault)) return null
  switch (fault) {
    case "Response":
      return <ResponseFields />
    case "Redirect":
      return (
        <>
          <StatusField from={300} to={399} value={302} />
          <label class="field">
            <span>Location</span>
            <input name="location" defaultValue="/elsewhere" spellcheck={false} required />
          </label>
        </>
      )
    case "NoResponse":
      return (
        <label class="check">
          <input name="accept" type="checkbox" /> Accept the SMS first
        </label>
      )
    case "OversizedBody":
      return (
        <label class="field">
          <span>Bytes</span>
          <input
            name="bytes"
            type="number"
            min={1}
            max={100 * 1024 * 1024}
            defaultValue="2097152"
            required
          />
        </label>
      )
  }
}
