/**
 * One endpoint of the service, as data for the client, the sandbox and the documentation.
 */
import * as Schema from "effect/Schema"
import { type ClientFailure, clientFailures } from "../errors/ClientFailures.ts"
import type { DocumentedErrorClass } from "../errors/DocumentedErrors.ts"

/** Any error of any operation. */
export type OperationError = InstanceType<DocumentedErrorClass> | ClientFailure

export interface Endpoint {
  readonly name: string
  readonly method: "GET" | "POST"
  /** As the description writes it, such as `/sms/{message_id}`. */
  readonly path: `/${string}`
  /** The purpose, in the words of the description. */
  readonly purpose: string
  /** The section of the service description. */
  readonly section: string
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
    /** If true, a body that says `success: false` is an `InvalidResponse`. */
    readonly mustSucceed?: true
  }
  /** One class per documented error status. The class has the status and its title. */
  readonly errors: ReadonlyArray<DocumentedErrorClass>
}

/** Keeps the literal types of the definition. */
export const endpoint = <const E extends Endpoint>(definition: E): E => definition

/**
 * The errors of one operation: its documented ones, and those that all operations share. Each call is
 * marked as pure, so that a bundler can drop the schemas that a program does not use.
 */
export const errorUnion = <const Errors extends ReadonlyArray<DocumentedErrorClass>>(
  documented: Errors
) => Schema.Union([...documented, ...clientFailures])
