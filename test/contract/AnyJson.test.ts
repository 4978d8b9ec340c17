import { describe, expect, it } from "@effect/vitest"
import { type MessagingTopup, type SendOutcome, sendOutcome } from "@messaging-topup/core"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { isReadonlyObject } from "effect/Predicate"
import fc from "fast-check"
import { isUtf8 } from "node:buffer"
import { inspect, isDeepStrictEqual } from "node:util"
import type { ReceivedRequest } from "../harness/ResponseServer.ts"
import { transports } from "../harness/Clients.ts"
import {
  contract,
  documentedStatuses,
  errorBody,
  errorTags,
  type OperationName,
  operationNames,
  sendOutcomes
} from "../harness/Contract.ts"
import { anyText } from "../harness/AnyText.ts"
import { isFull, runs } from "../harness/Runs.ts"
import { serving } from "../harness/Serving.ts"

/** Set ANY_JSON_SEED in the environment to run the same responses again. */
const seed = Number(process.env["ANY_JSON_SEED"] ?? Math.floor(Math.random() * 2 ** 31))

/** The quick tests try a few over undici, and the documented ones over all. */
const casesOver: Readonly<Record<string, number>> = isFull
  ? { undici: runs(20_000), fetch: runs(2_000) }
  : { undici: 200 }

interface Case {
  readonly operation: OperationName
  readonly status: number
  readonly contentType: string
  readonly chunked: boolean
  readonly body: Buffer
}

type Service = MessagingTopup["Service"]

/** Each call carries the number of its case, so that the server knows what to respond. */
const calls: Readonly<
  Record<OperationName, (service: Service, number: string) => Effect.Effect<unknown, unknown>>
> = {
  sendSms: (service, number) => service.sendSms({ recipient: number, message: "" }),
  getSmsStatus: (service, number) => service.getSmsStatus(number),
  getAirtimeStatus: (service, number) => service.getAirtimeStatus(number),
  getDataBundleStatus: (service, number) => service.getDataBundleStatus(number),
  listDataBundles: (service, number) => service.listDataBundles({ query: { number } })
}

const numberOf = ({ body, url }: ReceivedRequest): number =>
  Number(/case-(\d+)/.exec(body + url)?.[1])

// A second implementation of the decoding rules, without a schema. It returns the decoded value or
// `unreadable`.

const unreadable = Symbol("unreadable")

type Read = (value: unknown) => unknown

const only =
  (isFit: (value: unknown) => boolean): Read =>
  (value) =>
    isFit(value) ? value : unreadable

/** A number is kept as its text, if it cannot have lost a digit. */
const text: Read = (value) => {
  if (typeof value !== "number") return typeof value === "string" ? value : unreadable
  const [whole = "", fraction = ""] = String(Math.abs(value)).split(".")
  const isShort = /^\d*$/.test(whole + fraction) && whole.length < 10 && fraction.length < 7
  return Number.isSafeInteger(value) || isShort ? String(value) : unreadable
}
const flag = only((value) => typeof value === "boolean")
// A larger JSON number loses precision.
const integer = only((value) => Number.isSafeInteger(value))

const record =
  (required: Readonly<Record<string, Read>>, optional: Readonly<Record<string, Read>> = {}): Read =>
  (value) => {
    if (!isReadonlyObject(value)) return unreadable
    const found = Object.entries({ ...required, ...optional }).flatMap(([key, read]) => {
      const field = read(Object.hasOwn(value, key) ? value[key] : null)
      return field === unreadable && Object.hasOwn(optional, key) ? [] : [[key, field] as const]
    })
    return found.some(([, field]) => field === unreadable) ? unreadable : Object.fromEntries(found)
  }

const texts = (...keys: ReadonlyArray<string>) => Object.fromEntries(keys.map((key) => [key, text]))

const list =
  (item: Read): Read =>
  (value) => {
    if (!Array.isArray(value)) return unreadable
    const items = value.map(item)
    return items.includes(unreadable) ? unreadable : items
  }

/** The readable entries, or `unreadable` if those that are not are more. */
const entries =
  (field: string, item: Read, others: Readonly<Record<string, Read>>): Read =>
  (value) => {
    const whole = record({ [field]: only(Array.isArray) }, others)(value)
    if (!isReadonlyObject(whole)) return unreadable
    const items = [whole[field]].flat().map(item)
    const readable = items.filter((each) => each !== unreadable)
    if (readable.length === items.length) return { ...whole, [field]: items }
    if (readable.length < items.length - readable.length) return unreadable
    return { ...whole, [field]: readable, unreadable: items.length - readable.length }
  }

const statusRecords = (item: Read): Read =>
  entries("data", item, { success: flag, status: integer, message: text })

/** A 202 is an acceptance only if it says so, of something, and has no error. */
const accepts = (json: unknown): boolean => {
  if (!isReadonlyObject(json)) return false
  const own = (name: string) => (Object.hasOwn(json, name) ? json[name] : undefined)
  const data = own("data")
  const isOfSomething = Array.isArray(data) && data.some(isReadonlyObject)
  return own("success") === true && isOfSomething && !isReadonlyObject(own("error"))
}

/** Whether `status` can be that of the response instead of that of a purchase. */
const isInEnvelope = (json: unknown): boolean => {
  if (!isReadonlyObject(json)) return false
  const own = (name: string) => (Object.hasOwn(json, name) ? json[name] : null)
  const [data, error] = [own("data"), own("error")]
  return (
    typeof own("status") === "number" ||
    typeof own("success") === "boolean" ||
    (error !== null && error !== "" && error !== false) ||
    data === true ||
    (typeof data === "object" && data !== null)
  )
}

/** What broke off, or cannot be read in its middle, says so as far as it goes. */
const mayAccept = (body: Buffer): boolean => {
  // Not in a name: with a tab in it, it is another one.
  const said = body
    .toString()
    .replace(/(?<=[:{,[])\s+|\s+(?=:)/g, "")
    .trim()
  const isObject = said === "{" || said.startsWith('{"')
  const saysNo = /"success":[^t]|"error":[^n]|"data":([^[]|\[\])/.test(said)
  return isObject && !saysNo && (said.includes('"success":true') || !said.endsWith("}"))
}

const acceptance = record(
  {
    success: only((value) => value === true),
    data: list(record(texts("recipient", "message_id", "status")))
  },
  { status: integer, message: text }
)

const successes: Readonly<Record<OperationName, Read>> = {
  sendSms: (value) => (accepts(value) ? acceptance(value) : unreadable),
  getSmsStatus: statusRecords(
    record(texts("status"), texts("recipient", "message_id", "date_created", "sender_id"))
  ),
  getAirtimeStatus: statusRecords(
    record(
      texts("status"),
      texts("message_id", "recipient_phone", "recipient_network", "date_created", "amount")
    )
  ),
  getDataBundleStatus: (value) =>
    isInEnvelope(value)
      ? unreadable
      : record(
          texts("status"),
          texts("transaction_id", "recipient_phone", "recipient_network", "plan_id")
        )(value),
  listDataBundles: entries(
    "category",
    record(texts("bundle_id"), texts("name", "price", "data_amount", "validity")),
    {}
  )
}

/** An invalid value counts as missing. */
const half =
  (reads: Readonly<Record<string, Read>>): Read =>
  (value) =>
    isReadonlyObject(value)
      ? Object.fromEntries(
          Object.entries(reads).flatMap(([key, read]) => {
            const field = Object.hasOwn(value, key) ? read(value[key]) : unreadable
            return field === unreadable ? [] : [[key, field]]
          })
        )
      : unreadable

const documentedError: Read = (value) => {
  const error = half({ status: integer, title: text, detail: text })(
    isReadonlyObject(value) ? value["error"] : undefined
  )
  return error === unreadable ? unreadable : { error }
}

const parsed = (body: Buffer, isError = false): unknown => {
  if (!isUtf8(body) && !isError) return undefined
  try {
    return JSON.parse(body.toString().replace(/^\ufeff/, ""))
  } catch {
    return undefined
  }
}

/** The expected result of the call, with its value or the text of the service. */
const expectedOf = ({
  body,
  operation,
  status
}: Case): readonly [outcome: string, says: unknown] => {
  const { errors, successStatus } = contract[operation]
  const isSuccess = status === successStatus
  if (!isSuccess && !errors.includes(status)) return ["UndocumentedStatus", undefined]
  const says = (isSuccess ? successes[operation] : documentedError)(parsed(body, !isSuccess))
  if (says === unreadable) return ["InvalidResponse", undefined]
  return [isSuccess ? "success" : (errorTags[status] ?? ""), says]
}

// The responses.

type Path = ReadonlyArray<string | number>

const pathsIn = (value: unknown, path: Path = []): ReadonlyArray<Path> => [
  path,
  ...(Array.isArray(value)
    ? value.flatMap((item, index) => pathsIn(item, [...path, index]))
    : isReadonlyObject(value)
      ? Object.entries(value).flatMap(([key, field]) => pathsIn(field, [...path, key]))
      : [])
]

type Change = (value: unknown) => unknown

const absent = Symbol("absent")

const changedAt = (value: unknown, [key, ...rest]: Path, change: Change): unknown => {
  if (key === undefined) return change(value)
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => {
      const changed = index === key ? changedAt(item, rest, change) : item
      return changed === absent ? [] : [changed]
    })
  }
  if (!isReadonlyObject(value)) return value
  // Unlike an assignment, this also keeps a key of the name __proto__.
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      const changed = name === key ? changedAt(field, rest, change) : field
      return changed === absent ? [] : [[name, changed]]
    })
  )
}

const withField = (value: unknown, name: string, field: unknown): unknown =>
  Array.isArray(value)
    ? [...value, field]
    : isReadonlyObject(value)
      ? Object.fromEntries([...Object.entries(value), [name, field]])
      : [value, field]

const nested = (depth: number): unknown => {
  let value: unknown = "deep"
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

const names = fc.oneof(
  fc.constantFrom("__proto__", "constructor", "toString", "_tag", "message", "status", "cause", ""),
  anyText({ maxLength: 8 })
)

const replacements: ReadonlyArray<unknown> = [
  null,
  true,
  false,
  0,
  1.5,
  0.123456,
  0.1234567,
  123456789.5,
  1234567890.5,
  2 ** 53,
  "",
  "false",
  [],
  ["text"],
  {},
  { text: "text" }
]

const oddNumbers = [-1, 202, 2 ** 31, -(2 ** 64), 1e21, Number.MAX_VALUE, 5e-324]
const oddTexts = ["202", "\ud800", "\udc00\ud800", "\u0000"]

const values: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(
    ...replacements,
    ...oddNumbers,
    ...oddTexts,
    [null],
    Object.fromEntries([["__proto__", { success: true }]])
  ),
  anyText(),
  fc.jsonValue({ maxDepth: 3 }),
  fc.integer({ min: 1, max: 60 }).map(nested)
)

const changes: fc.Arbitrary<Change> = fc.oneof(
  fc.constant<Change>(() => absent),
  fc.constant<Change>(() => null),
  fc.constant<Change>((value) => [value]),
  fc.constant<Change>((value) => ({ data: value })),
  fc.constant<Change>((value) => JSON.stringify(value)),
  fc.constant<Change>((value) => withField(value, "__proto__", value)),
  values.map(
    (value): Change =>
      () =>
        value
  ),
  fc.tuple(names, values).map(
    ([name, value]): Change =>
      (before) =>
        withField(before, name, value)
  )
)

const nearMiss = (base: object): fc.Arbitrary<unknown> =>
  fc.array(fc.tuple(fc.nat(), changes), { minLength: 1, maxLength: 3 }).map((steps) =>
    steps.reduce<unknown>((value, [at, change]) => {
      const paths = pathsIn(value)
      const changed = changedAt(value, paths[at % paths.length] ?? [], change)
      return changed === absent ? {} : changed
    }, base)
  )

/** Numbers that JSON can write and JavaScript cannot. */
const numerals = ["1e999", "-0", "202.0", "2.02e2", "9007199254740993", "0.1e-999", "1E400"]

const damaged = (json: string): fc.Arbitrary<Buffer> => {
  const bytes = Buffer.from(json)
  return fc.oneof(
    fc.nat(bytes.length).map((length) => bytes.subarray(0, length)),
    fc
      .tuple(fc.nat(bytes.length), fc.uint8Array({ maxLength: 4 }))
      .map(([at, more]) => Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)])),
    fc
      .tuple(fc.nat(bytes.length - 1), fc.nat(255))
      .map(([at, byte]) =>
        Buffer.concat([bytes.subarray(0, at), Buffer.from([byte]), bytes.subarray(at + 1)])
      ),
    fc
      .constantFrom(`\ufeff${json}`, `\ufeff\ufeff${json}`, ` \n${json}\r\n\t`, json + json)
      .map((packed) => Buffer.from(packed)),
    fc
      .constantFrom(...numerals)
      .map((numeral) => Buffer.from(json.replace(/"status":\d+/, `"status":${numeral}`))),
    fc
      .constantFrom('"status":0,', '"success":false,', '"data":{},', '"__proto__":[],')
      .map((field) => Buffer.from(json.replace("{", `{${field}`))),
    fc.constant(Buffer.from(json, "utf16le"))
  )
}

const bytesOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))

const bodies = (operation: OperationName, status: number): fc.Arbitrary<Buffer> => {
  const { success, successStatus } = contract[operation]
  const [fit, unfit] =
    status === successStatus ? [success, errorBody(status)] : [errorBody(status), success]
  return fc.oneof(
    { weight: 5, arbitrary: fc.constant(bytesOf(fit)) },
    { weight: 1, arbitrary: fc.constant(bytesOf(unfit)) },
    { weight: 12, arbitrary: nearMiss(fit).map(bytesOf) },
    { weight: 4, arbitrary: damaged(JSON.stringify(fit)) },
    { weight: 2, arbitrary: fc.json({ maxDepth: 4 }).map((json) => Buffer.from(json)) },
    { weight: 1, arbitrary: values.map(bytesOf) },
    { weight: 2, arbitrary: fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: anyText().map((json) => Buffer.from(json)) }
  )
}

/** `fetch` hides a 407 and retries after 421, so these have their own test. */
const keptByFetch = new Set([407, 421])

const statuses = (operation: OperationName): fc.Arbitrary<number> => {
  const { errors, successStatus } = contract[operation]
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(successStatus) },
    { weight: 3, arbitrary: fc.constantFrom(...errors) },
    { weight: 1, arbitrary: fc.constantFrom(...documentedStatuses) },
    { weight: 1, arbitrary: fc.constantFrom(201, 204, 205, 301, 304, 307, 418, 429, 502, 503) },
    { weight: 2, arbitrary: fc.integer({ min: 200, max: 599 }) }
  )
}

const cases: fc.Arbitrary<Case> = fc
  .constantFrom(...operationNames)
  .chain((operation) => statuses(operation).map((status) => ({ operation, status })))
  .chain(({ operation, status }) =>
    fc.record({
      operation: fc.constant(operation),
      status: fc.constant(status),
      contentType: fc.constantFrom("application/json", "text/html", "text/plain", ""),
      chunked: fc.boolean(),
      body: bodies(operation, status)
    })
  )

const caseOf = (operation: OperationName, status: number, body: Buffer): Case => ({
  operation,
  status,
  contentType: "application/json",
  chunked: false,
  body
})

const documentedBodies = (operation: OperationName): ReadonlyArray<readonly [number, object]> => {
  const { errors, success, successStatus } = contract[operation]
  return [[successStatus, success], ...errors.map((status) => [status, errorBody(status)] as const)]
}

/** The body with so many more entries in each list of it, which are no entries. */
const withOddEntries = (body: object, count: number): object =>
  Object.fromEntries(
    Object.entries(body).map(([name, field]) => [
      name,
      Array.isArray(field) ? [...Array.from({ length: count }, () => ({})), ...field] : field
    ])
  )

/** With a byte that is no UTF-8 in place of the last letter. */
const withOddByte = (body: object): Buffer => {
  const bytes = bytesOf(body)
  bytes[bytes.findLastIndex((byte) => byte >= 0x61 && byte <= 0x7a)] = 0xff
  return bytes
}

/** Bodies of a 202: some say that the SMS was accepted as far as they go, and some say something else. */
const halfAcceptances: ReadonlyArray<string> = [
  ["", " ", "{}", "[]", "null", "202", '"accepted"', "accepted", "<html>", "{{ page", "[{", "{"],
  ['{"succ', '{"success":', '{"success":tr', '{"success":f', '{"success" : null', ' {"mess'],
  ['{"success":true}', '"success":true', '{"success":true,"data":[', '{"error":"no credit"}'],
  ['{"success":true,"error":null,"data":[{', '{"success":true,"error":{', '{"error":"no cr'],
  ['{"success":true,"data":[],"mess', '{"success":true,"data":n', '{"error":{}}'],
  ['{"success":null,"error":"no"}', '{"success":true,"data":[{}],"error":{"title":"no"}}'],
  ['{"success":true,"status":202,"data":[{"message_id":"m-1","status":"QUEUED"},]}'],
  ['{"success":true,"message":"a line\nand another","data":[{"message_id":"m-1"}]}'],
  ['{"success":true,"data":[{"recipient":"1"}', '{"success":false,"data":[{"reci'],
  ['{"data":[{"recipient":"1","message_id":"m","status":"q"},{"reci'],
  ['{"data":[{"recipient":"1"}],"message":"accep', '{"data":[{"recipient":"1"}']
].flat()

/** Bodies of a purchase, and of envelopes, which have a `status` too. */
const purchases: ReadonlyArray<object> = [
  { status: "any" },
  { ...contract.getDataBundleStatus.success, success: null, data: null, error: null },
  { ...contract.getDataBundleStatus.success, success: true },
  { success: false, status: 404, message: "no such purchase" },
  { success: true, status: "200" },
  { status: "any", data: contract.getDataBundleStatus.success },
  { status: 200, data: [] },
  { status: 404, error: { title: "Not found" } },
  { status: 404, message: "no such purchase" },
  { status: 404, title: "Not Found", detail: "no such purchase" },
  { status: 404, success: "false" },
  { status: 1.5 },
  ...["no such purchase", "0", true, 0, 404, {}, []].map((error) => ({ status: "any", error })),
  ...["", false].map((error) => ({ status: "any", error })),
  ...[true, {}, [], [1]].map((data) => ({ status: "any", data })),
  ...["", "1GB", 0, 1, false].map((data) => ({ status: "any", data }))
]

/** The responses of every run: each documented one, a part of an acceptance, an undocumented one, odd entries. */
const documentedCases: ReadonlyArray<Case> = [
  ...halfAcceptances.map((body) => caseOf("sendSms", 202, Buffer.from(body))),
  ...purchases.map((body) => caseOf("getDataBundleStatus", 200, bytesOf(body))),
  ...operationNames.flatMap((operation) => {
    const { success, successStatus } = contract[operation]
    return [
      caseOf(operation, 418, Buffer.from("<html>")),
      caseOf(operation, 400, bytesOf({ error: { status: "400", title: 400, detail: false } })),
      caseOf(operation, successStatus, withOddByte(success)),
      // At least half of its entries make a list.
      ...[1, 2].map((odd) =>
        caseOf(operation, successStatus, bytesOf(withOddEntries(success, odd)))
      ),
      ...documentedBodies(operation).flatMap(([status, body]) => [
        caseOf(operation, status, bytesOf(body)),
        caseOf(operation, status, Buffer.from("<html>")),
        caseOf(operation, status, Buffer.from('{"success":true,"data":[{'))
      ])
    ]
  })
]

/**
 * Each documented body with each of its values replaced by a value of each kind. The quick tests try those of
 * success.
 */
const retypedCases: ReadonlyArray<Case> = operationNames.flatMap((operation) =>
  documentedBodies(operation)
    .slice(0, isFull ? undefined : 1)
    .flatMap(([status, body]) =>
      pathsIn(body).flatMap((path) =>
        [absent, ...replacements].flatMap((replacement) => {
          const changed = changedAt(body, path, () => replacement)
          return changed === absent ? [] : [caseOf(operation, status, bytesOf(changed))]
        })
      )
    )
)

// The results.

const outcomeOf = (exit: Exit.Exit<unknown, unknown>): string => {
  if (Exit.isSuccess(exit)) return "success"
  const [reason, ...others] = exit.cause.reasons
  if (reason === undefined || others.length > 0 || !Cause.isFailReason(reason)) {
    return `no typed error: ${Cause.pretty(exit.cause)}`
  }
  return isReadonlyObject(reason.error) ? String(reason.error["_tag"]) : "an error without a tag"
}

/** The value of a success, or the text of a documented error. */
const saysOf = (exit: Exit.Exit<unknown, unknown>): unknown => {
  if (Exit.isSuccess(exit)) return exit.value
  const error = Cause.squash(exit.cause)
  return isReadonlyObject(error) && error["error"] !== undefined
    ? { error: error["error"] }
    : undefined
}

/** Whether a send with this response went out. */
const sendOutcomeOf = ({ body, status }: Case, tag: string): SendOutcome => {
  if (status === 202) {
    const json = parsed(body)
    return (json === undefined ? mayAccept(body) : accepts(json)) ? "sent" : "unknown"
  }
  return tag === "InvalidResponse" ? "unknown" : (sendOutcomes[status] ?? "unknown")
}

/** Returns what is wrong with the result of a call, or `undefined`. */
const wrongIn = (each: Case, exit: Exit.Exit<unknown, unknown>): string | undefined => {
  const [expected, says] = expectedOf(each)
  const outcome = outcomeOf(exit)
  if (outcome !== expected) return `${expected} was expected and came as ${outcome}`
  if (!isDeepStrictEqual(saysOf(exit), says)) {
    return `${inspect(says)} was expected and came as ${inspect(saysOf(exit))}`
  }
  if (each.operation !== "sendSms") return undefined
  const said = Exit.isSuccess(exit) ? "sent" : sendOutcome(exit.cause)
  return said === sendOutcomeOf(each, outcome) ? undefined : `sendOutcome is ${said}`
}

const report = ({ body, chunked, contentType, operation, status }: Case, wrong: string) =>
  [
    `${operation}: ${wrong}`,
    `The response was HTTP ${status} (${contentType || "no content type"}${chunked ? ", chunked" : ""})`,
    isUtf8(body) ? body.toString() : inspect(body),
    `in hexadecimal: ${body.toString("hex")}`,
    `Run it again with ANY_JSON_SEED=${seed}`
  ].join("\n")

describe.for(transports)("over %s", ([name, transport]) => {
  it.live("every response is the documented success or an error of the operation's type", () =>
    serving({ transport }, function* (service, server) {
      const sampled = fc
        .sample(cases, { seed, numRuns: casesOver[name] ?? 0 })
        .filter(({ status }) => name !== "fetch" || !keptByFetch.has(status))
      const all = [...documentedCases, ...(name === "fetch" ? [] : retypedCases), ...sampled]
      server.respondWith((request, response) => {
        const each = all[numberOf(request)]
        if (each === undefined) return response.destroy()
        const headers = each.contentType === "" ? {} : { "content-type": each.contentType }
        response.writeHead(each.status, headers)
        if (each.chunked) response.write(each.body.subarray(0, 7))
        return response.end(each.chunked ? each.body.subarray(7) : each.body)
      })
      const tally = new Set<string>()
      yield* Effect.forEach(
        all,
        (each, number) =>
          Effect.map(Effect.exit(calls[each.operation](service, `case-${number}`)), (exit) => {
            const wrong = wrongIn(each, exit)
            if (wrong !== undefined) expect.fail(report(each, wrong))
            tally.add(`${each.operation} ${outcomeOf(exit)}`)
          }),
        { concurrency: 100, discard: true }
      )
      // Each case has one request.
      expect(server.received.map(numberOf).toSorted((a, b) => a - b)).toEqual([...all.keys()])
      // Each kind of result must occur, or the test proves nothing about it.
      const possible = operationNames.flatMap((operation) =>
        [
          "success",
          "InvalidResponse",
          "UndocumentedStatus",
          ...contract[operation].errors.map((status) => errorTags[status] ?? "")
        ].map((outcome) => `${operation} ${outcome}`)
      )
      expect(tally).toEqual(new Set(possible))
    })
  )

  it.live("a response with a nesting depth of 100,000 is a typed error", () =>
    serving({ transport }, function* (service, server) {
      const deep = "[".repeat(100_000) + "]".repeat(100_000)
      for (const operation of isFull ? operationNames : (["getSmsStatus"] as const)) {
        const { call, errors, success, successStatus } = contract[operation]
        for (const [status, fit] of [
          [successStatus, success],
          ...errors.map((error) => [error, errorBody(error)] as const)
        ] as const) {
          for (const body of [deep, JSON.stringify(fit).replace("{", `{"deep":${deep},`)]) {
            server.respondWith((_, response) => response.writeHead(status).end(body))
            const outcome = outcomeOf(yield* Effect.exit(call(service)))
            const fitting = status === successStatus ? "success" : errorTags[status]
            expect(["InvalidResponse", body === deep ? "" : fitting]).toContain(outcome)
          }
        }
      }
    })
  )

  // The Fetch standard retries after 421, which says that the server did not process the request
  // (RFC 9110 §15.5.20). If this test fails one day, change docs/errors.md.
  it.live.each([
    [407, 1],
    [421, name === "fetch" ? 2 : 1]
  ] as const)("the outcome of a send is unknown if the response is %i", ([status, requests]) =>
    serving({ transport }, function* (service, server) {
      server.respondWith((_, response) => response.writeHead(status).end("{}"))
      const error = yield* Effect.flip(service.sendSms({ recipient: "1", message: "" }))
      expect(sendOutcome(error)).toBe("unknown")
      expect(server.received).toHaveLength(requests)
    })
  )
})
