/**
 * The base of every public error class: a schema, a message of ours, and a rendering that shows
 * nothing of the service's own words.
 *
 * Those can repeat a phone number, an id or even the token, and a response that could not be read can
 * hold anything. A caller may read them; a logger must not print them unasked.
 */
import type * as Cause from "effect/Cause"
import { NodeInspectSymbol } from "effect/Inspectable"
import * as Schema from "effect/Schema"

type Fields = Schema.Struct.Fields

type ErrorClass<Self, Tag extends string, F extends Fields, Extra> = Schema.Class<
  Self,
  Schema.TaggedStruct<Tag, F>,
  Cause.YieldableError & Extra
>

interface Rendering<F extends Fields> {
  /** The message, from the fields: what happened, then what to do. */
  readonly message: (error: Schema.Struct.Type<F>) => string
  /** Fields that are readable, but in no `inspect`, spread or `JSON.stringify` of the error. */
  readonly hidden?: ReadonlyArray<keyof F & string>
}

/**
 * A class with a generic base cannot be typed. The one below adds a rendering to its base and changes
 * nothing else, so that it has the type of its base.
 */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/no-unnecessary-type-parameters
const untyped = <A>(value: unknown): A => value as A

/**
 * As `Schema.TaggedError`. The tag is part of the encoding, so that an error that was sent through
 * JSON, a worker or a cluster is of the same class again. `Extra` are properties that are not encoded.
 */
export const errorClass =
  <Self, Extra extends object = {}>() =>
  <const Tag extends string, const F extends Fields>(
    tag: Tag,
    fields: F,
    { hidden = [], message }: Rendering<F>,
    extra?: Extra
  ): ErrorClass<Self, Tag, F, Extra> => {
    const Base: new (...args: ReadonlyArray<unknown>) => Error = untyped(
      Schema.TaggedError<Self>()(tag, fields)
    )
    class Rendered extends Base {
      constructor(...args: ReadonlyArray<unknown>) {
        super(...args)
        for (const key of hidden) {
          if (Object.hasOwn(this, key)) Object.defineProperty(this, key, { enumerable: false })
        }
        Object.assign(this, extra)
      }
      override get message(): string {
        return message(untyped(this))
      }
      /** Effect's own shows every constructor argument. */
      toJSON(): object {
        return { ...this, message: this.message }
      }
    }
    // Node's own shows the name, the message, the stack and what is not hidden; Effect's no name.
    Object.defineProperty(Rendered.prototype, NodeInspectSymbol, { value: undefined })
    return untyped(Rendered)
  }
