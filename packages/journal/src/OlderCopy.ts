/** What proves to a process that an older copy took the place of its journal: what it knows to be missing there. */
import * as Effect from "effect/Effect"
import { type JournalError, JournalUnavailable } from "./model/Errors.ts"

export const makeOlderCopy = () => {
  let isOlderCopy = false
  let newestId = 0

  /** Is told how many rows are missing that this process has written. */
  const onMissing = (missing: number): void => {
    if (missing > 0) isOlderCopy = true
  }

  return {
    /** Once it is an older copy, this process begins nothing more in it: what the newer file has would go out again. */
    requireNewest: Effect.suspend((): Effect.Effect<void, JournalError> =>
      isOlderCopy ? Effect.fail(new JournalUnavailable({ problem: "older-copy" })) : Effect.void
    ),
    /** The highest id of what this process has claimed. */
    newestId: () => newestId,
    /**
     * Is told the ids of claims that are on the disk. Ids only grow, also over what was deleted: one that is not above
     * `newestId` from before its ticket proves that rows are missing. Later ones prove nothing: two writes at once may end
     * in another order, and a write that is repeated has the ids of the first time.
     */
    onClaimed: (ids: ReadonlyArray<number>, earlierId = 0): boolean => {
      newestId = Math.max(newestId, ...ids)
      const isOlder = ids.some((id) => id <= earlierId)
      onMissing(isOlder ? 1 : 0)
      return isOlder
    },
    onMissing
  }
}
