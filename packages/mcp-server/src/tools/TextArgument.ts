/**
 * Checks of the arguments of tools.
 *
 * Most are filters, which keeps them out of `tools/list`: that list is part of every conversation, so its
 * size matters.
 */
import * as Schema from "effect/Schema"

/** An empty argument counts as absent, so this is for required texts, and for entries of a list. */
export const nonEmpty = (text: Schema.String): Schema.String => text.check(Schema.isMinLength(1))

/** The arguments of the tools that read a purchase. */
export const ReferenceCode = Schema.Struct({
  referencecode: nonEmpty(Schema.String.annotate({ description: "Reference code" }))
})

const maxLength = 500

/** Accepts one line that is not empty. */
export const oneLine = (text: Schema.String): Schema.String =>
  text.check(
    Schema.makeFilter((value: string) =>
      value === "" || value.length > maxLength || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)
        ? `Expected one line of 1 to ${maxLength} characters, without control characters`
        : undefined
    )
  )

/** The most entries of a list that one call reads or checks. */
export const maxEntries = 100

export const defaultLimit = 20

/** The most records to return. */
export const maxRecords = Schema.optionalKey(
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })).annotate({
    description: `Default ${defaultLimit}`
  })
)
