import { names } from "@messaging-topup/mcp-server/src/Options.ts"
import { setImmediate } from "node:timers/promises"
import { describe, expect, it, onTestFinished } from "vitest"
import manifest from "../../packages/mcp-server/package.json" with { type: "json" }
import { runInProcess, runProcess, startProcess } from "../harness/mcp/Server.ts"
import {
  callOver,
  messageOf,
  openHttpProcess,
  openSession,
  type RawHttp
} from "../harness/mcp/RawHttp.ts"
import {
  callOf,
  type Era,
  eras,
  openStdioProcess,
  type RawStdio,
  requestOf
} from "../harness/mcp/RawStdio.ts"
import { Disposables } from "../harness/mcp/Disposables.ts"
import { openSandbox, slowRecipient } from "../harness/mcp/RealSandbox.ts"
import { openRespondingUpstream } from "../harness/mcp/RespondingUpstream.ts"

it("a client that reads slowly makes no warning of Node in the log", async () => {
  await using sandbox = await openSandbox()
  await using stdio = await openStdioProcess("modern", ["--allow-recipients=*"], {
    env: sandbox.env
  })
  await stdio.ask(requestOf("modern", "first", "tools/list"))
  const { stdout } = stdio.server.process
  stdout?.pause()
  const ids = Array.from({ length: 100 }, (_, index) => index)
  await stdio.send(...ids.map((id) => requestOf("modern", id, "tools/list")))
  const sms = { recipient: "+254700000001", message: "The requests before it have responses" }
  await stdio.send(callOf("modern", "last", "send_sms", sms))
  await expect.poll(() => sandbox.messages()).toHaveLength(1)
  stdout?.resume()
  for (const id of [...ids, "last"]) await stdio.response(id)
  expect(stdio.server.written.stderr).not.toContain("Warning")
})

describe("exit codes", () => {
  it("2 if a setting is wrong, with the message that the settings' tests check", async () => {
    const token = { MESSAGING_TOPUP_BASE_URL: "http://127.0.0.1:9", MESSAGING_TOPUP_TOKEN: "token" }
    for (const [args, env] of [
      [[], {}],
      [["--max-segments=0"], token],
      [["--token", "secret"], token]
    ] as const) {
      const ended = await runProcess(args, env)
      expect(ended).toMatchObject({ code: 2, stdout: "" })
      expect(ended).toEqual(await runInProcess(args, env))
    }
  })

  it("1 if the port is in use, with a message that says what to do", async () => {
    await using taken = await openRespondingUpstream()
    const { port } = new URL(taken.baseUrl)
    const ended = await runProcess(["--sandbox", "--http", "--port", port])
    expect(ended).toMatchObject({ code: 1, stdout: "" })
    expect(ended.stderr).toContain(`port ${port}`)
    expect(ended.stderr).toContain("in use")
  })

  it("0 at the end of stdin, with and without a client before", async () => {
    expect(await runProcess(["--sandbox"])).toMatchObject({
      code: 0,
      signal: null,
      stdout: "",
      stderr: ""
    })
    for (const era of eras) {
      await using stdio = await openStdioProcess(era)
      await stdio.ask(requestOf(era, 1, "tools/list"))
      stdio.server.stdin.end()
      expect(await stdio.server.ended).toMatchObject({ code: 0, signal: null, stderr: "" })
    }
  })

  it.each(["SIGTERM", "SIGINT"] as const)("0 on %s, with both transports", async (signal) => {
    for (const era of eras) {
      await using stdio = await openStdioProcess(era)
      await stdio.ask(requestOf(era, 1, "tools/list"))
      stdio.server.process.kill(signal)
      expect(await stdio.server.ended).toMatchObject({ code: 0, signal: null })
    }
    await using http = await openHttpProcess()
    await openSession(http.url)
    http.server.process.kill(signal)
    expect(await http.server.ended).toMatchObject({ code: 0, signal: null, stdout: "" })
  })
})

it("--help names every option and variable on stdout, whatever else is set", async () => {
  const help = await runProcess(["--help", "--http", "--port", "none"])
  expect(help).toMatchObject({ code: 0, stderr: "" })
  for (const name of names) expect(help.stdout).toMatch(new RegExp(`^ +--${name}\\b`, "m"))
  const service = ["BASE_URL", "BASE_URL_FILE", "TOKEN", "TOKEN_FILE", "TIMEOUT"]
  // One example shows how the others are named.
  for (const name of [...service, "MCP_MAX_SEGMENTS", "MCP_BEARER_KEYS"]) {
    expect(help.stdout).toMatch(new RegExp(`\\bMESSAGING_TOPUP_${name}\\b`))
  }
  expect(await runProcess([], { MESSAGING_TOPUP_MCP_HELP: "1" })).toEqual(help)
})

it("--version prints the version of the package", async () => {
  const printed = { code: 0, stdout: `${manifest.version}\n`, stderr: "" }
  expect(await runProcess(["--version"])).toMatchObject(printed)
})

const sms = { recipient: "+254700000001", message: "Hello" }

describe("stdout", () => {
  it("carries only the protocol, whatever Node prints", async () => {
    const preload = `data:text/javascript,${encodeURIComponent(
      'import "node:timers"; setImmediate(() => { console.log("noise"); console.info("noise"); console.table(["noise"]); process.emitWarning("noise") })'
    )}`
    await using stdio = await openStdioProcess("modern", ["--sandbox"], {
      env: { NODE_DEBUG: "http,net,stream,timer", NODE_OPTIONS: `--import=${preload}` }
    })
    await stdio.ask(callOf("modern", 1, "send_sms", sms))
    await stdio.ask(callOf("modern", 2, "list_data_bundles"))
    stdio.server.stdin.end()
    const { code, stderr } = await stdio.server.ended
    expect(code).toBe(0)
    expect(stderr).toContain("noise")
    expect(stdio.messages().map(({ id, jsonrpc }) => [id, jsonrpc])).toEqual([
      [1, "2.0"],
      [2, "2.0"]
    ])
  })

  it("that is closed ends the server with 0, and nothing is logged", async () => {
    await using stdio = await openStdioProcess("modern")
    await stdio.ask(requestOf("modern", 1, "tools/list"))
    stdio.server.stdout.destroy()
    // The server notices it with the first response.
    for (let id = 2; id < 50 && stdio.server.process.exitCode === null; id += 1) {
      await stdio.send(requestOf("modern", id, "tools/list"))
    }
    const { code, signal, stderr } = await stdio.server.ended
    expect({ code, signal }).toMatchObject({ code: 0, signal: null })
    expect(stderr).not.toMatch(/EPIPE|^ +at /m)
  })

  it("still works when stderr is closed", async () => {
    await using stdio = await openStdioProcess("modern")
    stdio.server.stderr.destroy()
    for (let id = 1; id < 10; id += 1) {
      await stdio.write("[]\n")
      const message = `text ${id}`
      const { result } = await stdio.ask(callOf("modern", id, "send_sms", { ...sms, message }))
      expect(result?.["isError"]).toBeUndefined()
    }
    stdio.server.stdin.end()
    expect(await stdio.server.ended).toMatchObject({ code: 0, signal: null })
  })
})

const slow = { recipient: slowRecipient, message: "Slow" }

const isSent = { result: { structuredContent: { sent_by_this_call: true } } }

/** Starts a server, and a send that the service accepts after `hurry`. */
const inFlight = async (era: Era) => {
  const opened = new Disposables()
  onTestFinished(() => opened.disposeAsync())
  const sandbox = opened.use(await openSandbox())
  const stdio = opened.use(await openStdioProcess(era, [], { env: sandbox.unasked }))
  await stdio.send(callOf(era, 1, "send_sms", slow))
  await sandbox.until(({ requests }) => requests.length >= 1)
  return { sandbox, stdio }
}

/** Sends until a call is refused. Returns how many were sent, and the refusal. */
const untilStopping = async (stdio: RawStdio, era: Era, from: number) => {
  for (let sent = 0; sent < 200; sent += 1) {
    const message = `late ${from + sent}`
    const late = await stdio.ask(callOf(era, from + sent, "send_sms", { ...sms, message }))
    if (late.result?.["isError"] === true) return [sent, late] as const
  }
  throw new Error("the server does not stop")
}

describe("a signal while a send is in flight", () => {
  it.each(eras)(
    "lets its result reach the client over stdio, and refuses later sends: %s",
    async (era) => {
      const { sandbox, stdio } = await inFlight(era)
      stdio.server.process.kill("SIGTERM")
      const [sent, refused] = await untilStopping(stdio, era, 2)
      expect(refused.result).toMatchObject({
        structuredContent: { code: "stopping" }
      })
      await sandbox.hurry()
      expect(await stdio.response(1)).toMatchObject(isSent)
      const { code, signal, stderr } = await stdio.server.ended
      expect({ code, signal }).toMatchObject({ code: 0, signal: null })
      expect(stderr).toContain('"outcome":"sent"')
      expect(stderr).toMatch(/"event":"stopping: a second signal [^"]*","in_flight":[12]}/)
      expect(stderr).toMatch(/"event":"send refused".*"code":"stopping"/)
      expect(await sandbox.messages()).toHaveLength(1 + sent)
    }
  )

  it("that Claude Code sends as SIGINT and then SIGTERM is one: the send is finished", async () => {
    const { sandbox, stdio } = await inFlight("legacy")
    stdio.server.process.kill("SIGINT")
    await untilStopping(stdio, "legacy", 2)
    stdio.server.process.kill("SIGTERM")
    // It still responds when the second signal has arrived.
    for (let id = 1000; id < 1020; id += 1) await untilStopping(stdio, "legacy", id)
    await sandbox.hurry()
    expect(await stdio.response(1)).toMatchObject(isSent)
    expect(await stdio.server.ended).toMatchObject({ code: 0, signal: null })
  })

  /** Waits until the server responds that it is stopping. */
  const stopping = async ({ url }: RawHttp) => {
    for (let tries = 0; tries < 10_000; tries += 1) {
      const response = await fetch(new URL("/healthz", url))
      await response.text()
      if (response.status === 503) return
    }
    throw new Error("the server does not stop")
  }

  it.each(eras)(
    "lets its result reach the client over HTTP, and refuses later calls: %s",
    async (era) => {
      await using sandbox = await openSandbox()
      await using http = await openHttpProcess([], { env: sandbox.unasked })
      const session = era === "legacy" ? await openSession(http.url) : ""
      const call = callOver(http.url, era, 1, "send_sms", slow, { session })
      await sandbox.until(({ requests }) => requests.length >= 1)
      http.server.process.kill("SIGTERM")
      await stopping(http)
      const late = await callOver(http.url, era, 2, "send_sms", sms, { session })
      expect(late.status).toBe(503)
      await late.text()
      await sandbox.hurry()
      expect(await messageOf(await call)).toMatchObject(isSent)
      expect(await http.server.ended).toMatchObject({ code: 0, signal: null })
      expect(await sandbox.messages()).toHaveLength(1)
    }
  )

  it.each(["stdio", "http"])("a second one ends the server at once: %s", async (transport) => {
    await using sandbox = await openSandbox()
    await sandbox.setFault({ fault: "NoResponse", accept: true })
    const args = transport === "http" ? ["--http", "--port", "0"] : []
    await using server = startProcess(args, { env: sandbox.unasked })
    let call: Promise<unknown> = Promise.resolve()
    if (transport === "http") {
      const [, url = ""] = await server.until("stderr", /"url":"([^"]+)"/)
      call = callOver(url, "modern", 1, "send_sms", sms).catch(() => "gone")
    } else {
      server.stdin.write(`${JSON.stringify(callOf("modern", 1, "send_sms", sms))}\n`)
    }
    await sandbox.until(({ requests }) => requests.length >= 1)
    server.process.kill("SIGTERM")
    // Pending signals of one kind are merged, so signals are sent until a second one was delivered.
    for (let tries = 0; tries < 100_000 && server.process.signalCode === null; tries += 1) {
      server.process.kill("SIGTERM")
      await setImmediate()
    }
    expect(await server.ended).toMatchObject({ code: null, signal: "SIGTERM" })
    await call
  })
})
