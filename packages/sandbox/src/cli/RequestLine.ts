/**
 * Formats a request as one line of the command's log, without message texts, phone numbers and the
 * token.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { StoredRequest } from "../record/Stored.ts"

const mask = "***"

const shownCharacters = 4

/** Cuts by code points, because a character can have two code units. */
const endOf = (text: string): string =>
  Array.from(text.slice(-2 * shownCharacters))
    .slice(-shownCharacters)
    .join("")

const masked = (recipient: string): string =>
  recipient.length > shownCharacters ? mask + endOf(recipient) : mask

/** Seven or more digits, also with separators between them. */
const longNumber = /\d(?:(?:%[\da-f]{2}|[ ().-]){0,3}\d){6,}/gi

const maxLength = 200

const cut = (text: string): string =>
  text.length > maxLength ? `${text.slice(0, maxLength)}…` : text

/** Characters that a terminal or a line reader may interpret. */
const notText = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

const escaped = (text: string): string =>
  text.replaceAll(notText, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`
    ).join("")
  )

type Field = readonly [name: string, value: string | number | boolean | undefined]

const decodeRecipient = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ recipient: Schema.String }))
)

const recipientOf = ({ body }: StoredRequest): string =>
  Option.match(decodeRecipient(body), { onNone: () => "", onSome: ({ recipient }) => recipient })

const fieldsOf = (request: StoredRequest): ReadonlyArray<Field> => {
  const { fault, refusal } = request
  const recipient = recipientOf(request)
  const clean = (text: string): string => {
    // A short recipient may be part of any word, so it is not replaced.
    const named =
      recipient.length > shownCharacters ? text.replaceAll(recipient, masked(recipient)) : text
    return cut(named.replaceAll(longNumber, masked))
  }
  return [
    ["time", request.time],
    ["method", request.method],
    ["path", clean(request.path)],
    ["status", request.status],
    // A fault or forced outcome already explains the response.
    ["refusal", refusal === undefined || fault !== undefined ? undefined : clean(refusal)],
    ["fault", fault],
    ["message_id", request.message_id],
    ["recipient", recipient === "" ? undefined : masked(recipient)],
    ["disconnected", request.disconnected || undefined],
    ["milliseconds", request.milliseconds]
  ]
}

const written: Readonly<Record<string, (value: string) => string>> = {
  fault: (value) => (/^\d/.test(value) ? `forced ${value}` : `fault ${value}`),
  recipient: (value) => `to ${value}`,
  disconnected: () => "client left",
  milliseconds: (value) => `${value} ms`
}

const text = (fields: ReadonlyArray<Field>): string =>
  fields
    .flatMap(([name, value]) => {
      if (value === undefined) return name === "status" ? ["-"] : []
      return [written[name]?.(String(value)) ?? String(value)]
    })
    .join(" ")

/** Both formats are one line of printable characters. The token is already removed. */
export const requestLine =
  (form: "text" | "json") =>
  (request: StoredRequest): string => {
    const fields = fieldsOf(request)
    return escaped(form === "json" ? JSON.stringify(Object.fromEntries(fields)) : text(fields))
  }
