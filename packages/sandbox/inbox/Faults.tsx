/** The current fault, and the dialog that sets one. */
import { signal, useSignal } from "@preact/signals"
import type { JSX } from "preact"
import { useRef } from "preact/hooks"
import type { Fault } from "../src/faults/Fault.ts"
import { clearFault, setFault } from "./Api.ts"
import { Dialog } from "./Dialog.tsx"
import { describe } from "./FaultTexts.ts"
import { Icon } from "./Icon.tsx"
import { announce, attempt, Problem } from "./Notice.tsx"
import { fault } from "./Store.ts"
import { onSubmit } from "./Submit.ts"
import { faults } from "./Tables.ts"
import { Value } from "./Text.tsx"

type FaultName = Fault["fault"]

/** Only the program that runs the sandbox can set the other one: no HTTP request could clear it. */
const settable = faults.filter(({ name }) => name !== "ConnectionRefused")

export const isFaultDialogOpen = signal(false)

/** The sandbox refuses a line without a colon, because such a name is not valid. */
const headersOf = (lines: string): Record<string, string> =>
  Object.fromEntries(
    lines.split("\n").flatMap((line) => {
      const [name = "", ...value] = line.split(":")
      return name.trim() === "" ? [] : [[name.trim(), value.join(":").trim()]]
    })
  )

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
      <textarea name="headers" rows={2} spellcheck={false} placeholder="Retry-After: 1" />
    </label>
  </>
)

const RedirectFields = () => (
  <>
    <StatusField from={300} to={399} value={302} />
    <label class="field">
      <span>Location</span>
      <input name="location" defaultValue="/elsewhere" spellcheck={false} required />
    </label>
  </>
)

const NoResponseFields = () => (
  <label class="line">
    <input name="accept" type="checkbox" /> Accept the SMS first
  </label>
)

const OversizedBodyFields = () => (
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

/** The names of the faults that have fields: the compiler asks for a new one below. */
type NameWithFields = {
  readonly [Name in FaultName]: keyof Extract<Fault, { fault: Name }> extends "fault" ? never : Name
}[FaultName]

const fields: Readonly<Record<NameWithFields, () => JSX.Element>> = {
  Response: ResponseFields,
  Redirect: RedirectFields,
  NoResponse: NoResponseFields,
  OversizedBody: OversizedBodyFields
}

const Fields = ({ fault: name }: { fault: FaultName }) => {
  const all: Readonly<Partial<Record<FaultName, () => JSX.Element>>> = fields
  const Found = all[name]
  return Found === undefined ? null : <Found />
}

/** How the sandbox takes a field of the form. Other fields are text. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  status: Number,
  bytes: Number,
  times: Number,
  accept: () => true,
  headers: headersOf
}

const faultOf = (name: FaultName, form: FormData): object => {
  const lasting = form.get("lasting")
  form.delete("lasting")
  if (lasting === "once") form.set("times", "1")
  if (lasting === "always") form.delete("times")
  const entries = Array.from(form, ([field, value]) => {
    const text = typeof value === "string" ? value : ""
    return [field, readers[field]?.(text) ?? text] as const
  })
  return { fault: name, ...Object.fromEntries(entries) }
}

const Kinds = ({ accepts, label }: { label: string; accepts: boolean }) => (
  <optgroup label={label}>
    {settable
      .filter((kind) => kind.accepts === accepts)
      .map(({ name, title }) => (
        <option key={name} value={name}>
          {title}
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
    <fieldset>
      <legend>Lasts for</legend>
      <label class="line">
        <input type="radio" name="lasting" value="once" defaultChecked /> the next request
      </label>
      <div class="line">
        <label class="line">
          <input ref={several} type="radio" name="lasting" value="times" /> several requests:
        </label>
        <input
          class="number"
          name="times"
          type="number"
          min={1}
          defaultValue="3"
          aria-label="How many"
          onInput={choose}
        />
      </div>
      <label class="line">
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
    <form class="stack" onSubmit={onSubmit(set)}>
      <label class="field">
        <span>What goes wrong</span>
        <select
          autofocus
          value={kind.value}
          onChange={({ currentTarget }) => {
            kind.value =
              settable.find(({ name }) => name === currentTarget.value)?.name ?? kind.value
          }}
        >
          <Kinds label="Before the SMS is accepted" accepts={false} />
          <Kinds label="After the SMS is accepted" accepts={true} />
        </select>
      </label>
      <p class="hint" aria-live="polite">
        {settable.find(({ name }) => name === kind.value)?.description}.
      </p>
      <Fields key={kind.value} fault={kind.value} />
      <Duration />
      <Problem />
      <div class="line end">
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

const clear = async (): Promise<void> => {
  if (await attempt("The fault could not be cleared", clearFault()))
    announce("The fault is cleared")
}

/** Shows on every view that a fault is set. */
export const FaultBar = () => {
  const current = fault.value
  if (current === null) return null
  return (
    <section class="fault-bar line wrap toned" data-tone="waiting" aria-label="Current fault">
      <Icon name="bolt" />
      <p class="grow">
        <strong>Fault set</strong> <Value text={describe(current)} />
      </p>
      <button type="button" onClick={() => (isFaultDialogOpen.value = true)}>
        Change
      </button>
      <button type="button" onClick={() => void clear()}>
        Clear fault
      </button>
    </section>
  )
}
