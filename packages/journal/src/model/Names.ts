/** How the journal names sends, and which texts it can store: both databases must return them unchanged. */
import { InvalidInput, SendSmsRequest } from "@messaging-topup/core"
import { Phone } from "@messaging-topup/core/internal"
import * as Struct from "effect/Struct"
import type { KeyedSend, SendKey } from "./Send.ts"

/** Makes a keyed digest of texts. */
export type Digest = (parts: ReadonlyArray<string>) => string

const maxLength = 512

const problemOf = (value: unknown): string | undefined => {
  if (typeof value !== "string") return "it must be a string"
  // PostgreSQL cannot store U+0000, and half of a surrogate pair cannot be encoded as UTF-8.
  if (value.includes("\0")) return "it must not contain the character U+0000"
  return value.isWellFormed() ? undefined : "it must not contain half of a surrogate pair"
}

/** What is wrong with a key, or with the name of a campaign; undefined if it can be stored. */
export const nameProblem = (name: unknown): string | undefined =>
  problemOf(name) ??
  (typeof name === "string" && name.length > 0 && name.length <= maxLength
    ? undefined
    : `it must have 1 to ${maxLength} characters`)

const fields = Struct.keys(SendSmsRequest.fields)

const required: ReadonlySet<string> = new Set(["recipient", "message"])

/** The first value of a send that the journal cannot store or compare; undefined if it can store all. */
export const wrongSend = (
  operation: "sendMany" | "sendOnce",
  key: SendKey,
  request: SendSmsRequest
): InvalidInput | undefined => {
  const wrong = (field: string, problem: string) => new InvalidInput({ operation, field, problem })
  const { campaign, key: name } = typeof key === "string" ? { campaign: "-", key } : key
  for (const [field, value] of Object.entries({ campaign, key: name })) {
    const problem = nameProblem(value)
    if (problem !== undefined) return wrong(field, problem)
  }
  for (const field of fields) {
    const value = request[field]
    const isLeftOut = value === undefined && !required.has(field)
    const problem = isLeftOut ? undefined : problemOf(value)
    if (problem !== undefined) return wrong(field, problem)
  }
  return undefined
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

/** The sends of a campaign: `$1` and `$2` are its range. */
export const inRange = "key > $1 and key < $2 and owner = 'campaign'"

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

  /** The same for all spellings of a number. */
  const recipientDigest = (recipient: string): string =>
    digest(["recipient", Phone.wideForm(recipient)])

  /** The same for the same text to the same number, under whatever key. */
  const contentDigest = ({ message, recipient, sender_id = "" }: SendSmsRequest): string =>
    digest(["content", Phone.wideForm(recipient), message, sender_id])

  return {
    storedKey,
    recipientDigest,
    contentDigest,
    /** What is absent is no part of it, so that a field of a later version changes no digest of today. */
    identify: (key: SendKey, request: SendSmsRequest): KeyedSend => {
      const stored = storedKey(key)
      const given = fields.flatMap((field) => {
        const value = request[field]
        return value === undefined ? [] : [field, value]
      })
      return { key: stored, request: digest(["request", stored, ...given]) }
    },
    /** What a claim stores of a request, whoever makes it: digests. */
    describe: (known: KeyedSend, request: SendSmsRequest) => ({
      ...known,
      recipient: recipientDigest(request.recipient),
      content: contentDigest(request)
    })
  }
}

export type Names = ReturnType<typeof makeNames>
