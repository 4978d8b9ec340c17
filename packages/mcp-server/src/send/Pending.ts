/**
 * A question to a person that ends its call: the client shows it, and calls again with the decision.
 */
import * as Data from "effect/Data"

export class Pending extends Data.Class<{
  readonly message: string
  /** What the client returns with the decision. */
  readonly state: string
}> {}
