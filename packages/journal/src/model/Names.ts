/** How the journal names sends, and which texts it can store: both databases must return them unchanged. */
import { InvalidInput, Schemas, type SendSmsRequest } from "@messaging-topup/core"
import { Phone, visibleText } from "@messaging-topup/core/internal"
import { unreadable } from "@messaging-topup/core/internal/errors"
import { identity } from "effect/Function"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import type { Row } from "./Campaign.ts"
import { type Checked, type Option, readOptions } from "./Options.ts"
import { type Forms, partsOf } from "./SameSms.ts"
import type { KeyedSend, SendKey } from "./Send.ts"

/** Makes a keyed digest of texts. */
export type Digest = (parts: ReadonlyArray<string>) => string

const maxLength = 512

const checkText = (value: unknown): Checked<string> => {
  if (!Predicate.isString(value)) return Result.fail("it must be a string")
  // PostgreSQL cannot store U+0000, and half of a surrogate pair cannot be encoded as UTF-8.
  if (value.includes("\0")) return Result.fail("it must not contain the character U+0000")
  return value.isWellFormed()
    ? Result.succeed(value)
    : Result.fail("it must not contain half of a surrogate pair")
}

/** Whether a key, or the name of a campaign, can be stored. An older program may have stored what `checkNewName` refuses. */
export const checkName = (name: unknown): Checked<string> =>
  Result.filterOrFail(
    checkText(name),
    ({ length }) => length > 0 && length <= maxLength,
    () => `it must have 1 to ${maxLength} characters`
  )

/** Whether something may be sent under a key or in a campaign. Nobody sees that `ann` and `ann\r` are two. */
export const checkNewName = (given: unknown): Checked<string> =>
  Result.filterOrFail(
    checkName(given),
    (name) => name.trim() === name && !/\p{Cc}/u.test(name),
    () => "it must not begin or end with white space, or have a control character"
  )

const keyOfRow = {
  campaign: { check: checkNewName },
  key: { check: checkNewName }
} satisfies Record<keyof Exclude<SendKey, string>, Option<string>>

const fields = Struct.keys(Schemas.SendSmsRequest.fields)

const required: ReadonlySet<string> = new Set(["recipient", "message"])

type Operation = "sendMany" | "sendOnce"

const keyProblem = "give a text, or the row of a campaign as { campaign, key }"

type Read<A> = Result.Result<A, { readonly field: string; readonly problem: string }>

const readName = (key: unknown): Read<string> =>
  Result.mapError(checkNewName(key), (problem) => ({ field: "key", problem }))

const readKey = (operation: Operation, key: SendKey): Read<SendKey> => {
  if (Predicate.isObject(key)) return readOptions(operation, keyOfRow, key, "key")
  return Predicate.isString(key)
    ? readName(key)
    : Result.fail({ field: "key", problem: keyProblem })
}

/** Copies all properties: `sendSms` refuses one that is misspelled. */
const readRequest = (request: SendSmsRequest): Read<SendSmsRequest> => {
  if (!Predicate.isObject(request)) {
    return Result.fail({ field: "request", problem: "it must be an object" })
  }
  const texts: Record<string, string> = {}
  for (const field of fields) {
    const value = request[field]
    if (value === undefined && !required.has(field)) continue
    const checked = checkText(value)
    if (Result.isFailure(checked)) return Result.fail({ field, problem: checked.failure })
    texts[field] = checked.success
  }
  return Result.succeed({ ...request, ...texts })
}

/** A getter can throw. */
const reading = <A>(read: () => Read<A>): Read<A> =>
  Result.flatMap(
    Result.try({ try: read, catch: () => ({ field: "request", problem: unreadable }) }),
    identity
  )

/** A send as it was given. */
export interface GivenSend {
  readonly key: SendKey
  readonly request: SendSmsRequest
}

/**
 * Copies a send: what is stored and compared has to be what goes out, also if the program changes it meanwhile. Fails
 * with the first value that the journal cannot store or compare.
 */
export const readSend = (
  operation: Operation,
  key: SendKey,
  request: SendSmsRequest
): Result.Result<GivenSend, InvalidInput> =>
  Result.mapError(
    reading(() => Result.all({ key: readKey(operation, key), request: readRequest(request) })),
    ({ field, problem }) => new InvalidInput({ operation, field, problem })
  )

/** The same for the row at an index. */
export const readRow = (row: Row, index: number): Result.Result<Row, InvalidInput> => {
  const read = Predicate.isObject(row)
    ? reading(() => Result.all({ key: readName(row.key), request: readRequest(row.request) }))
    : Result.fail({ field: "", problem: "it must be an object with key and request" })
  const before = ". Rows before it may have been sent: correct it, and run it again"
  return Result.mapError(
    read,
    ({ field, problem }) =>
      new InvalidInput({
        operation: "sendMany",
        field: `rows[${index}]${field && `.${field}`}`,
        problem: index === 0 ? problem : problem + before
      })
  )
}

/** What the keys of a campaign begin with. A campaign's name may contain any character. */
export const prefixOf = (campaign: string): string =>
  `${campaign.replaceAll("%", "%25").replaceAll("/", "%2F")}/`

/** No campaign has an empty name. */
const programPrefix = "/"

/** The keys of a campaign are those from its prefix to the same with the character after the slash. */
export const rangeOf = (campaign: string) => {
  const from = prefixOf(campaign)
  return { from, to: `${from.slice(0, -1)}0` }
}

/** The sends of a campaign, with the parameters of `rangeOf`. */
export const inRange = "key > $from and key < $to and owner = 'campaign'"

export type Owner = "program" | "campaign" | "server"

/** The stored key says whose send it is. Keys of the server are digests, which have no slash. */
export const ownerOf = (stored: string): Owner => {
  if (stored.startsWith(programPrefix)) return "program"
  return stored.includes("/") ? "campaign" : "server"
}

/** The campaign and the key of a stored key. */
export const namesOf = (stored: string): { readonly campaign?: string; readonly key: string } => {
  const slash = stored.indexOf("/")
  const key = stored.slice(slash + 1)
  return slash > 0 ? { campaign: decodeURIComponent(stored.slice(0, slash)), key } : { key }
}

/** The key of a plain send, by which a person decides about it. */
export const plainKeyOf = (stored: string): { readonly key?: string } =>
  ownerOf(stored) === "program" ? namesOf(stored) : {}

/** What looks the same to a person is the same SMS: also from a spreadsheet, which saves blanks and ends of lines otherwise. */
export const sameForms: Forms = {
  recipient: Phone.wideForm,
  message: visibleText,
  sender_id: visibleText,
  scheduled_time: visibleText
}

/** Makes the keys and digests of sends. */
export const makeNames = (digest: Digest) => {
  /** No key on disk is a phone number. */
  const storedKey = (key: SendKey): string => {
    const { name, prefix } =
      typeof key === "string"
        ? { name: key, prefix: programPrefix }
        : { name: key.key, prefix: prefixOf(key.campaign) }
    return prefix + (Phone.mayBeNumber(name) ? digest(["key", name]) : name)
  }

  const numberDigest = (wide: string): string => digest(["recipient", wide])

  return {
    storedKey,
    /** The same for all spellings of a number. */
    recipientDigest: (recipient: string): string => numberDigest(Phone.wideForm(recipient)),
    identify: (key: SendKey, request: SendSmsRequest): KeyedSend => {
      const stored = storedKey(key)
      const same = partsOf(request, sameForms)
      return { key: stored, digest: digest(["request", stored, ...same]) }
    },
    /**
     * The digests that a claim stores, by their columns. `content` is made of the number and the text alone, so that the
     * same SMS is found under another key, from another sender or at another time.
     */
    describe: ({ digest: ofRequest, key }: KeyedSend, { message, recipient }: SendSmsRequest) => {
      const number = sameForms.recipient(recipient)
      return {
        key,
        request: ofRequest,
        recipient: numberDigest(number),
        content: digest(["content", number, sameForms.message(message)])
      }
    }
  }
}

export type Names = ReturnType<typeof makeNames>
