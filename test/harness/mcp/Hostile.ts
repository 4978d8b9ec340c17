/**
 * Generates messages of a broken or hostile client: every member of a message with every wrong type.
 */
import * as fc from "fast-check"
import { type Era, envelope } from "./RawStdio.ts"
import { toolNames } from "./ToolNames.ts"

/** Contained in every generated text. It must never be in the log. */
export const marker = "h0stile-c0ntent"

const inherited = ["__proto__", "constructor", "toString", "hasOwnProperty", "prototype"]

const tools = [...toolNames, "no_such_tool", ...inherited]

const methods = [
  "initialize",
  "ping",
  "server/discover",
  "tools/list",
  "resources/list",
  "resources/templates/list",
  "resources/subscribe",
  "prompts/list",
  "completion/complete",
  "logging/setLevel",
  "tasks/get",
  "sampling/createMessage",
  "elicitation/create",
  "rpc.discover",
  ...inherited
]

const text = fc.string({ maxLength: 20 }).map((value) => `${marker}${value}`)

const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  text,
  fc.constantFrom(null, 0, -1, true, [], {}, "")
)

const names = ["recipient", "message", "sender_id", "message_id", "referencecode", "limit", "query"]

const members = fc.dictionary(fc.constantFrom(...names, ...inherited, marker), anything, {
  maxKeys: 4
})

const callParams = fc.record(
  {
    name: fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...tools) }, anything),
    arguments: fc.oneof({ weight: 6, arbitrary: members }, anything)
  },
  { requiredKeys: [] }
)

const otherParams = fc.oneof(
  members,
  anything,
  fc.record({ uri: fc.oneof(text, fc.webUrl(), fc.constantFrom(...inherited)) }),
  fc.record({ name: fc.oneof(text, fc.constantFrom(...inherited)) }),
  fc.record({ cursor: text })
)

const methodAndParams = fc.oneof(
  fc.tuple(fc.constant<unknown>("tools/call"), callParams),
  fc.tuple(
    fc.constantFrom<unknown>("resources/read", "prompts/get", "completion/complete", ...methods),
    otherParams
  ),
  fc.tuple(fc.oneof(text, anything), otherParams)
)

const notifications = fc.record({
  method: fc.oneof(
    fc.constantFrom<unknown>(
      "notifications/cancelled",
      "notifications/initialized",
      "notifications/progress",
      "notifications/roots/list_changed"
    ),
    text
  ),
  params: fc.oneof(fc.record({ requestId: anything }), otherParams)
})

const responses = fc.oneof(
  fc.record({ result: anything }),
  fc.record({ error: fc.oneof(anything, fc.record({ code: fc.integer(), message: text })) })
)

const jsonrpc = fc.oneof({ weight: 20, arbitrary: fc.constant<unknown>("2.0") }, anything)

const anyId = fc.oneof(
  { weight: 6, arbitrary: fc.oneof(fc.integer({ min: 0, max: 9 }), text) },
  anything
)

/** Adds a valid envelope to half of the requests, an invalid one to a third, and none to the others. */
const withEnvelope = (params: unknown, kind: number): unknown => {
  const object = typeof params === "object" && params !== null && !Array.isArray(params)
  if (!object || kind > 2) return params
  return { ...params, _meta: [envelope(), envelope({}, marker), { [marker]: kind }][kind] }
}

export interface HostileMessage {
  readonly jsonrpc?: unknown
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: unknown
}

/** Messages that may be valid in one era or in none. `id` generates the ids of requests. */
const message = (era: Era, id: fc.Arbitrary<unknown>): fc.Arbitrary<HostileMessage> =>
  fc.oneof(
    {
      weight: 7,
      arbitrary: fc
        .tuple(jsonrpc, id, methodAndParams, fc.constantFrom(0, 0, 0, 1, 2, 3))
        .map(([version, requestId, [method, params], kind]) => ({
          jsonrpc: version,
          id: requestId,
          method,
          params: era === "modern" ? withEnvelope(params, kind) : params
        }))
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(jsonrpc, notifications)
        .map(([version, notification]) => ({ jsonrpc: version, ...notification }))
    },
    {
      weight: 1,
      arbitrary: fc.tuple(jsonrpc, id, responses).map(([version, responseId, response]) => ({
        jsonrpc: version,
        id: responseId,
        ...response
      }))
    }
  )

const sampled = (arbitrary: fc.Arbitrary<HostileMessage>, count: number, seed: number) =>
  fc.sample(arbitrary, { numRuns: count, seed })

/** Returns the same messages for the same seed. */
export const hostileMessages = (era: Era, count: number, seed: number) =>
  sampled(message(era, anyId), count, seed)

/** Requests have unique ids: of two in flight with one id, only one could get a response in a session. */
export const hostileBodies = (era: Era, count: number, seed: number) => {
  const valid = fc.oneof({ weight: 6, arbitrary: fc.constant<unknown>(undefined) }, anything)
  return sampled(message(era, valid), count, seed).map((body, index) =>
    "id" in body && body.id === undefined ? { ...body, id: `${seed}-${index}` } : body
  )
}

/** Returns all memory that a process uses, in bytes. */
export const memoryInUse = ({ arrayBuffers, external, heapUsed }: NodeJS.MemoryUsage): number =>
  heapUsed + external + arrayBuffers

/** Half of what a leak of 1 KiB per message would add over 4,000 messages. */
export const maxGrowthBytes = 4_000 * 512
