/**
 * The base of every public error class: a schema, our own message, and a rendering without the
 * service's own text.
 *
 * The service's text can repeat a phone number, an id or even the token, and an unreadable response
 * can contain anything. A program may read it, but a logger must not print it by default.
 */
import type * as Cause from "effect/Cause"
import { NodeInspectSymbol } from "effect/Inspectable"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/**
 * The operation that failed, such as `sendSms`. A cause can hold errors of several operations, and
 * only this field tells an error of a send from an error of a read.
 */
export const operation = Schema.optionalKey(Schema.String)

/** What identifies the request for the support of the service, if its response has such a header. */
export const requestId = Schema.optionalKey(Schema.String)

type Fields = Schema.Struct.Fields

type ErrorClass<Self, Tag extends string, F extends Fields, Extra> = Schema.Class<
  Self,
  Schema.TaggedStruct<Tag, F>,
  Cause.YieldableError & Extra
>

interface Rendering<F extends Fields> {
  /** Makes the message from the fields: what happened, then what to do. */
  readonly message: (error: Schema.Struct.Type<F>) => string
  /**
   * Fields that can be read, but that `inspect` and spread do not show, and what `JSON.stringify` shows
   * instead, so that the JSON decodes to the error again.
   */
  readonly hidden?: { readonly [Name in keyof F]?: unknown }
}

/** Marks the errors of this copy of the package. A copy of an error, as of `structuredClone`, is none. */
const own = Symbol("@messaging-topup/core/errors")

/** Returns whether a value is an instance of an error class of this package. */
export const isOwnError = (value: unknown): boolean => Predicate.hasProperty(value, own)

/**
 * TypeScript cannot type a class with a generic base. The class below only adds a rendering, so it
 * has the type of its base.
 */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/no-unnecessary-type-parameters
const untyped = <A>(value: unknown): A => value as A

/**
 * Like `Schema.TaggedError`. The tag is encoded, so that an error that passed through JSON, a
 * worker or a cluster decodes to the same class. `Extra` are properties that are not encoded.
 */
export const errorClass =
  <Self, Extra extends object = {}>() =>
  <const Tag extends string, const F extends Fields>(
    tag: Tag,
    fields: F,
    { hidden = {}, message }: Rendering<F>,
    extra?: Extra
  ): ErrorClass<Self, Tag, F, Extra> => {
    const Base: new (...args: ReadonlyArray<unknown>) => Error = untyped(
      Schema.TaggedError<Self>()(tag, fields)
    )
    class Rendered extends Base {
      constructor(...args: ReadonlyArray<unknown>) {
        super(...args)
        for (const key of Object.keys(hidden)) {
          if (Object.hasOwn(this, key)) Object.defineProperty(this, key, { enumerable: false })
        }
        Object.assign(this, extra)
      }
      override get message(): string {
        return message(untyped(this))
      }
      /** Effect's own `toJSON` shows every constructor argument. */
      toJSON(): object {
        return { ...hidden, ...this, message: this.message }
      }
    }
    // Node's `inspect` shows the name, the message, the stack and the fields that are not hidden.
    // Effect's shows no name.
    Object.defineProperty(Rendered.prototype, NodeInspectSymbol, { value: undefined })
    Object.defineProperty(Rendered.prototype, own, { value: true })
    return untyped(Rendered)
  }
