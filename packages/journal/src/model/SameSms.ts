/**
 * What makes an SMS the same as another: for the journal, for rows without a key, and for the MCP server. The error classes
 * import it, also in a script without Effect: so it imports nothing of Effect.
 */
import type { SendSmsRequest } from "@messaging-topup/core"

/** Each of these makes another SMS, in the words of people. Where its reports go does not: on the phone, it is the same. */
const words = {
  recipient: "number",
  message: "text",
  sender_id: "sender",
  scheduled_time: "time"
} satisfies Record<Exclude<keyof SendSmsRequest, "webhook_url">, string>

type SameField = keyof typeof words

const isSameField = (name: string): name is SameField => name in words

const said = Object.values(words)

/** What another SMS has. */
export const anotherSms = `another ${said.slice(0, -1).join(", ")} or ${said.at(-1)}`

type Form = (value: string) => string

/** In which form each field is compared. */
export type Forms = Readonly<Record<SameField, Form>>

/**
 * The parts of a digest by which the same SMS is found. What is absent is no part of it, so that a field of a later version
 * changes no digest of today.
 */
export const partsOf = (request: SendSmsRequest, forms: Forms): ReadonlyArray<string> =>
  Object.keys(words)
    .filter(isSameField)
    .flatMap((field) => {
      const value = request[field]
      return value === undefined ? [] : [field, forms[field](value)]
    })
