/** Shows the current problem. An open dialog shows it inside, because it covers the page. */
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
