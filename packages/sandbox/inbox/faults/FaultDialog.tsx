/** The dialog that sets a fault. */
import { signal, useSignal } from "@preact/signals"
import { useRef } from "preact/hooks"
import { setFault } from "../Api.ts"
import { announce, attempt } from "../Notice.ts"
import { Dialog } from "../components/Dialog.tsx"
import { Problem } from "../components/Problem.tsx"
import { FaultFields } from "./FaultFields.tsx"
import { faultOf } from "./FaultForm.ts"
import {
  afterAcceptance,
  beforeAcceptance,
  describe,
  type FaultName,
  faultTexts
} from "./Faults.ts"

export const isFaultDialogOpen = signal(false)

const namesOf = (texts: object): ReadonlyArray<FaultName> =>
  allNames.filter((name) => name in texts)

const allNames: ReadonlyArray<FaultName> = [
  "Response",
  "Redirect",
  "ResetBeforeAcceptance",
  "NoResponse",
  "ResetAfterAcceptance",
  "HeadersThenSilence",
  "EndlessBody",
  "OversizedBody",
  "TruncatedJson",
  "WrongContentType",
  "BodyCutOff"
]

const Kinds = ({ label, texts }: { label: string; texts: object }) => (
  <optgroup label={label}>
    {namesOf(texts).map((name) => (
      <option key={name} value={name}>
        {faultTexts[name].title}
      </option>
    ))}
  </optgroup>
)

const Duration = () => {
  const several = useRef<HTMLInputElement>(null)
  const choose = (): void => {
    if (several.current !== null) several.current.checked = true
  }
  return (
    <fieldset class="lasting">
      <legend>Lasts for</legend>
      <label class="check">
        <input type="radio" name="lasting" value="once" defaultChecked /> the next request
      </label>
      <div class="check">
        <label class="check">
          <input ref={several} type="radio" name="lasting" value="times" /> several requests:
        </label>
        <input
          name="times"
          type="number"
          min={1}
          defaultValue="3"
          aria-label="How many"
          onInput={choose}
        />
      </div>
      <label class="check">
        <input type="radio" name="lasting" value="always" /> all, until it is cleared
      </label>
    </fieldset>
  )
}

const Form = () => {
  const kind = useSignal<FaultName>("Response")
  const set = async (form: HTMLFormElement): Promise<void> => {
    const setting = setFault(faultOf(kind.value, new FormData(form))).then((current) => {
      // The page takes the fault from the event stream, because this one may have ended by now.
      if (current.fault !== null) announce(`Fault set: ${describe(current.fault)}`)
    })
    if (await attempt("The fault could not be set", setting)) isFaultDialogOpen.value = false
  }
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void set(event.currentTarget)
      }}
    >
      <label class="field">
        <span>What goes wrong</span>
        <select
          autofocus
          value={kind.value}
          onChange={({ currentTarget }) => {
            kind.value = allNames.find((name) => name === currentTarget.value) ?? kind.value
          }}
        >
          <Kinds label="Before the SMS is accepted" texts={beforeAcceptance} />
          <Kinds label="After the SMS is accepted" texts={afterAcceptance} />
        </select>
      </label>
      <p class="hint" aria-live="polite">
        {faultTexts[kind.value].description}
      </p>
      <FaultFields key={kind.value} fault={kind.value} />
      <Duration />
      <Problem />
      <div class="actions">
        <button type="button" onClick={() => (isFaultDialogOpen.value = false)}>
          Cancel
        </button>
        <button type="submit" class="primary">
          Set fault
        </button>
      </div>
    </form>
  )
}

export const FaultDialog = () => (
  <Dialog title="Next fault" isOpen={isFaultDialogOpen}>
    <Form />
  </Dialog>
)
