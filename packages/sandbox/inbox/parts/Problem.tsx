/** What went wrong. A dialog that is open shows it itself: it hides all that is behind it. */
import { problem } from "../Notice.ts"
import { Icon } from "./Icon.tsx"

export const Problem = () =>
  problem.value === undefined ? null : (
    <div class="problem" role="alert">
      <p>{problem.value}</p>
      <button
        type="button"
        class="quiet icon-button"
        aria-label="Close"
        onClick={() => (problem.value = undefined)}
      >
        <Icon name="close" />
      </button>
    </div>
  )
