/** One endpoint of the service, as data for the client, the sandbox and the documentation. */
import type * as Schema from "effect/Schema"
import type { DocumentedErrorClass } from "../errors/DocumentedErrors.ts"
import type { Operations } from "./Model.ts"

export interface Endpoint {
  readonly name: keyof Operations
  readonly method: "GET" | "POST"
  /** As the description writes it, such as `/sms/{message_id}`. */
  readonly path: `/${string}`
  /** The purpose, in the words of the description. */
  readonly purpose: string
  /** The parameters in `path`. */
  readonly params?: Schema.Codec<unknown, unknown>
  readonly query?: Schema.Codec<unknown, unknown>
  readonly payload?: Schema.Codec<unknown, unknown> & { readonly fields: object }
  readonly success: {
    readonly status: number
    readonly schema: Schema.Codec<unknown, unknown>
    /** What the client needs of the response, if that is less than the description requires. */
    readonly needed?: Schema.Codec<unknown, unknown>
    /**
     * A list field whose entries are read one by one, so that an invalid entry does not affect the
     * others.
     */
    readonly entries?: {
      readonly field: string
      readonly schema: Schema.Codec<unknown, unknown>
    }
    /** If true, a body that does not say that something was accepted is an `InvalidResponse`. */
    readonly mustSucceed?: true
  }
  /** One class per documented error status. The class has the status and its title. */
  readonly errors: ReadonlyArray<DocumentedErrorClass>
}
