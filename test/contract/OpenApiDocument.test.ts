import { Api, documentOf } from "@messaging-topup/core/api"
import * as Predicate from "effect/Predicate"
import { createRequire } from "node:module"
import { describe, expect, it } from "vitest"

/** Every value of the document with its JSON pointer. */
const walk = function* (value: unknown, pointer: string): Generator<readonly [string, unknown]> {
  yield [pointer, value]
  if (!Predicate.isObjectOrArray(value)) return
  for (const [key, child] of Object.entries(value)) yield* walk(child, `${pointer}/${key}`)
}

const document = documentOf(Api)

const values = [...walk(document, "#")]

const named = (last: string): ReadonlyArray<unknown> =>
  values.filter(([pointer]) => pointer.endsWith(`/${last}`)).map(([, value]) => value)

describe("the OpenAPI document", () => {
  // A person reads its changes in review: operations, statuses, parameters, required fields, the token.
  it("is the checked-in openapi.json that the package exports", async () => {
    await expect(`${JSON.stringify(document, undefined, 2)}\n`).toMatchFileSnapshot(
      createRequire(import.meta.url).resolve("@messaging-topup/core/openapi.json")
    )
  })

  it("has no broken references and no unused schemas", () => {
    const schemas = values.flatMap(([pointer]) =>
      /^#\/components\/schemas\/\w+$/.test(pointer) ? [pointer] : []
    )
    expect(schemas).not.toEqual([])
    expect(new Set(named("$ref"))).toEqual(new Set(schemas))
  })

  it("forbids no field that the description does not show, and sets no range", () => {
    expect(["additionalProperties", "minimum", "maximum"].flatMap(named)).toEqual([])
  })

  it("describes fields only with the words of the description", () => {
    const described = values.flatMap(([pointer, value]) =>
      pointer.endsWith("/description") && !pointer.includes("/responses/") ? [String(value)] : []
    )
    expect(new Set(described)).toEqual(
      new Set([
        // §2.1
        "Phone number of the recipient",
        "Text of the message",
        "Custom sender ID, where applicable",
        "URL that receives status updates",
        "Time at which to schedule the message",
        // §2.2
        "Whether the request succeeded",
        "HTTP status code of the request",
        "Text describing the result",
        "One entry per recipient",
        "The recipient's phone number",
        "Unique identifier of the message",
        "Status of the message",
        // §2.7
        "Always false in an error body",
        "Error detail",
        "HTTP status code",
        "Short title of the error",
        "Explanation",
        // §4.2, §4.3
        "The unique identifier of the SMS message",
        "The reference code of the airtime transaction"
      ])
    )
  })
})
