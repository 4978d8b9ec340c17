/** Shows on every view that a fault is set. */
import { clearFault } from "../Api.ts"
import { announce, attempt } from "../Notice.ts"
import { Icon } from "../components/Icon.tsx"
import { Value } from "../messages/Value.tsx"
import { fault } from "../Store.ts"
import { isFaultDialogOpen } from "./FaultDialog.tsx"
import { describe } from "./Faults.ts"

const clear = async (): Promise<void> => {
  if (await attempt("The fault could not be cleared", clearFault()))
    announce("The fault is cleared")
}

export const FaultBar = () => {
  const current = fault.value
  if (current === null) return null
  return (
    <section class="fault-bar" aria-label="Current fault">
      <Icon name="bolt" />
      <p>
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
