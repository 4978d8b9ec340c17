import { PolicyFile } from "@messaging-topup/mcp-server/src/settings/Policy.ts"
import * as Schema from "effect/Schema"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { reply } from "../support/ResponseServer.ts"
import { folderOfFile } from "./support/TemporaryFolder.ts"
import { contract } from "../support/Contract.ts"
import { guarded, httpRoutes, decline, approve } from "./support/GuardedServer.ts"
import { runInProcess } from "./support/InProcessServer.ts"
import { authorizationServer } from "./support/AuthorizationServer.ts"
import { openHttp, post } from "./support/RawHttp.ts"
import { callOf, initializeOf } from "./support/RawStdio.ts"
import { openRespondingUpstream } from "./support/RespondingUpstream.ts"

const folder = folderOfFile()

let files = 0

const policy = (content: unknown): string => {
  const file = join(folder, `policy-${files++}.json`)
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content))
  return file
}

const keys = {
  billing: "billing-key-0123456789012345678901234567",
  support: "support-key-0123456789012345678901234567",
  guest: "guest-key-012345678901234567890123456789"
}

const environment = {
  MESSAGING_TOPUP_MCP_BEARER_KEYS: Object.entries(keys)
    .map(([name, key]) => `${name}:${key}`)
    .join(",")
}

const sms = { recipient: "+254700000001", message: "Hello" }

describe.for(httpRoutes)("a policy, $era over $over,", (route) => {
  it("restricts tools, recipients, lengths and limits by caller", async () => {
    const file = policy({
      callers: {
        "key:billing": {
          "allow-recipients": ["+2547*"],
          "max-segments": 1,
          "max-sends-per-hour": 1
        },
        "key:support": { tools: ["preview_sms", "get_sms_status"] },
        "*": { confirm: "require" }
      }
    })
    await using server = await guarded(route, ["--policy", file], {
      environment,
      key: keys.billing
    })
    expect((await server.send({ ...sms, recipient: "+19005550100" })).error).toMatchObject({
      code: "recipient_not_allowed"
    })
    expect((await server.send({ ...sms, message: "a".repeat(161) })).error).toMatchObject({
      code: "too_many_segments",
      max_segments: 1
    })
    expect((await server.send(sms)).isError).toBe(false)
    expect((await server.send({ ...sms, message: "Another" })).error).toMatchObject({
      code: "hourly_limit_reached",
      max_sends_per_hour: 1
    })

    await using support = await server.another(undefined, keys.support)
    const { tools } = await support.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(["preview_sms", "get_sms_status"])
    expect(support.client.getInstructions()).toContain("It cannot send: --policy turns that off")

    await using guest = await server.another(undefined, keys.guest)
    expect((await guest.send(sms)).error).toMatchObject({ code: "confirmation_unavailable" })
    await using asked = await server.another(() => approve, keys.guest)
    // Another caller has a limit of its own.
    expect((await asked.send(sms)).isError).toBe(false)
    expect(await server.sent()).toBe(2)
  })

  it("can restrict, and never allows more than the options", async () => {
    const file = policy({
      callers: {
        "*": {
          tools: ["send_sms", "list_data_bundles"],
          "allow-recipients": ["+1*", "+254700000001"],
          "max-segments": 100,
          "max-sends-per-hour": 1000,
          confirm: "off"
        }
      }
    })
    const flags =
      "--max-segments=1 --max-sends-per-hour=1 --confirm=require --allow-recipients=+254*"
    const args = [...flags.split(" "), "--policy", file, "--tools", "send_sms,preview_sms"]
    await using server = await guarded(route, args, { person: () => decline })
    const { tools } = await server.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(["send_sms"])
    const codeOf = async (change: object) =>
      (await server.send({ ...sms, ...change })).error["code"]
    expect(await codeOf({ recipient: "+15550100" })).toBe("recipient_not_allowed")
    expect(await codeOf({ recipient: "+254700000002" })).toBe("recipient_not_allowed")
    expect(await codeOf({ recipient: "+254700000001,+254700000001" })).toBe("too_many_recipients")
    expect(await codeOf({ message: "a".repeat(161) })).toBe("too_many_segments")
    expect(await codeOf({})).toBe("confirmation_declined")
    expect(await server.sent()).toBe(0)
  })

  it("sends with the token of the caller, which no result contains", async () => {
    await using upstream = await openRespondingUpstream()
    const tokens = { own: "own-token-77", billing: "billing-token-88", support: "support-token-99" }
    const tokenFile = policy(`${tokens.support}\n`)
    const file = policy({
      callers: {
        "key:billing": { "token-env": "BILLING_TOKEN" },
        "key:support": { "token-file": tokenFile }
      }
    })
    await using server = await guarded(route, ["--policy", file], {
      environment: {
        ...environment,
        ...upstream.environment,
        MESSAGING_TOPUP_TOKEN: tokens.own,
        BILLING_TOKEN: tokens.billing
      },
      key: keys.billing
    })
    upstream.respondWith((request, response) => {
      const said = String(request.headers.authorization)
      const data = [{ recipient: "+1", message_id: said, status: said }]
      reply(202, { ...contract.sendSms.success, data })(request, response)
    })
    const used = () => upstream.received.at(-1)?.headers.authorization
    await using support = await server.another(undefined, keys.support)
    await using guest = await server.another(undefined, keys.guest)
    for (const [connection, token] of [
      [server, tokens.billing],
      [support, tokens.support],
      [guest, tokens.own]
    ] as const) {
      const sent = await connection.send(sms)
      expect(used()).toBe(`Bearer ${token}`)
      expect(sent.isError).toBe(false)
      expect(JSON.stringify(sent)).not.toContain(token)
      expect(sent.messageIds).toEqual(["Bearer <redacted>"])
    }
    expect(server.log.lines.join("\n")).not.toMatch(/token-\d\d/)
  })
})

describe("a policy by OAuth client", () => {
  const start = async (callers: object) => {
    const issuer = await authorizationServer()
    const upstream = await openRespondingUpstream()
    upstream.respondWith(reply(202, contract.sendSms.success))
    const http = await openHttp(["--policy", policy({ callers })], {
      env: {
        ...upstream.environment,
        TOKEN_A: "token-of-a",
        MESSAGING_TOPUP_MCP_OAUTH_ISSUER: issuer.issuer,
        MESSAGING_TOPUP_MCP_PUBLIC_URL: issuer.audience
      }
    })
    const send = (token: string, headers: Readonly<Record<string, string>> = {}) =>
      post(http.url, callOf("legacy", 2, "send_sms", sms), {
        headers: { authorization: `Bearer ${token}`, ...headers }
      })
    return {
      issuer,
      upstream,
      http,
      send,
      [Symbol.asyncDispose]: async () => {
        await http[Symbol.asyncDispose]()
        await upstream[Symbol.asyncDispose]()
        issuer.close()
      }
    }
  }

  it("does not give the session of one client to another client of the same person", async () => {
    await using server = await start({
      "client:a": { "token-env": "TOKEN_A" },
      "client:b": { tools: ["preview_sms"] }
    })
    const { http, issuer, send, upstream } = server
    const a = await issuer.token({ client_id: "a" })
    const b = await issuer.token({ client_id: "b" })
    const opened = await post(http.url, initializeOf(1), {
      headers: { authorization: `Bearer ${a}` }
    })
    await opened.text()
    const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" }
    expect((await send(b, session)).status).toBe(404)
    expect(upstream.received).toEqual([])
    expect((await send(a, session)).status).toBe(200)
    await expect.poll(() => upstream.received.length).toBe(1)
    expect(upstream.received[0]?.headers.authorization).toBe("Bearer token-of-a")
  })

  it("takes the client of a token from client_id or azp, and never from its subject", async () => {
    await using server = await start({ "client:a": { "token-env": "TOKEN_A" } })
    const { issuer, send, upstream } = server
    for (const [claims, token] of [
      [{ sub: "a", client_id: undefined }, upstream.environment["MESSAGING_TOPUP_TOKEN"]],
      [{ sub: "someone", client_id: undefined, azp: "a" }, "token-of-a"]
    ] as const) {
      const response = await send(await issuer.token(claims))
      await response.text()
      expect(upstream.received.at(-1)?.headers.authorization).toBe(`Bearer ${token}`)
    }
    expect(upstream.received).toHaveLength(2)
  })
})

describe("a limit of a policy", () => {
  it("is named in the refusal, and the instructions name the smallest limit", async () => {
    const file = policy({
      callers: {
        local: { "max-sends-per-hour": 1, "max-segments": 1, "allow-recipients": ["+2547*"] }
      }
    })
    await using server = await guarded({ era: "legacy", over: "stdio" }, ["--policy", file])
    expect(server.client.getInstructions()).toContain("of which this caller may use 1 SMS an hour.")
    await server.send(sms)
    for (const change of [
      { message: "Another" },
      { message: "a".repeat(161) },
      { recipient: "+19005550100" }
    ]) {
      const { text } = await server.send({ ...sms, ...change })
      expect(text).toContain("with --policy (MESSAGING_TOPUP_MCP_POLICY).")
    }
  })
})

describe("a policy that is wrong", () => {
  const http = ["--http", "--port", "0"]

  it.each([
    ["not JSON", "{", /the file is not JSON/],
    ["of another shape", [], /object/i],
    ["with an unknown key", { callers: {}, teams: {} }, /teams/],
    ["with an unknown rule", { callers: { local: { "max-segment": 1 } } }, /local\.max-segment/],
    ["with an unknown tool", { callers: { local: { tools: ["send"] } } }, /callers\.local\.tools/],
    ["with a limit out of bounds", { callers: { local: { "max-segments": 0 } } }, /max-segments/],
    ["with an invalid caller name", { callers: { everybody: {} } }, /callers are local, anonymous/],
    [
      "with a key that does not exist",
      { callers: { "key:sales": {} } },
      /no bearer key of this name/
    ],
    [
      "with a rule that is not a number",
      { callers: { local: { "allow-recipients": ["everyone"] } } },
      /callers\.local\.allow-recipients/
    ],
    [
      "with a variable that is not set",
      { callers: { local: { "token-env": "NOT_SET_ANYWHERE" } } },
      /callers\.local\.token-env: the variable or file that it names has no token/
    ],
    [
      "with two sources of a token",
      { callers: { local: { "token-env": "A", "token-file": "b" } } },
      /leave out token-env or token-file/
    ],
    [
      "with a file that does not exist",
      { callers: { local: { "token-file": "/nowhere/token" } } },
      /token-file: \/nowhere\/token cannot be read \(ENOENT\)/
    ]
  ])("keeps the server from starting: %s", async (_, content, problem) => {
    const ended = await runInProcess(["--sandbox", ...http, "--policy", policy(content)], {
      MESSAGING_TOPUP_MCP_BEARER_KEYS: environment.MESSAGING_TOPUP_MCP_BEARER_KEYS
    })
    expect(ended).toMatchObject({ code: 2 })
    expect(ended.stderr).toMatch(/^--policy|policy\.json|callers/m)
    expect(ended.stderr).toMatch(problem)
  })
})

it("policy.schema.json describes the file", async () => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(PolicyFile, {
    onExcessProperty: "error"
  })
  expect(definitions).toEqual({})
  const document = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Who may do what with messaging-topup-mcp",
    ...schema
  }
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot(
    "../../packages/mcp-server/policy.schema.json"
  )
})
