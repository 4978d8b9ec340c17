import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { documentedErrors, type SendOutcome } from "@messaging-topup/core"
import { startSandbox } from "@messaging-topup/sandbox/promise"
import * as Effect from "effect/Effect"
import { isReadonlyObject } from "effect/Predicate"
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:tls"
import { join } from "node:path"
import { commandFile } from "../harness/Bundled.ts"
import { certificateFor } from "../harness/Certificate.ts"
import { acceptance } from "../harness/Contract.ts"
import { type Failure, failingService, failures } from "../harness/failures.ts"
import { listening } from "../harness/Listening.ts"
import { run, runNode, type Running, start } from "../harness/Process.ts"
import { breakOff, reply } from "../harness/ResponseServer.ts"
import { silentServer } from "../harness/SilentServer.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

const page = readFileSync("docs/languages.md", "utf8")

/** The commands of a script, with the address of this sandbox. */
const linesOf = (script: string, baseUrl: string): ReadonlyArray<string> =>
  readFileSync(`examples/sandbox/${script}`, "utf8")
    .replaceAll("http://127.0.0.1:8080", baseUrl)
    .trim()
    .split("\n")

const curl = (line: string) => run("sh", ["-c", line])

const isThere = (program: string, ...args: ReadonlyArray<string>): boolean =>
  spawnSync(program, args).status === 0

describe("the programs of docs/languages.md", () => {
  it("in Python start a sandbox, find their SMS, and leave no process running", async (context) => {
    if (!isThere("python3", "--version")) return context.skip("there is no python3")
    for (let times = 1; times <= 2; times++) {
      // A sandbox that went on would hold stderr open, and this would not end.
      const { code, stderr } = await run("python3", [
        "-m",
        "unittest",
        "examples/sandbox/test_sms.py"
      ])
      expect(code, stderr).toBe(0)
      expect(stderr).toMatch(/^Ran 1 test in /m)
    }
  })

  it("in Python wait longer than the sandbox does, and end after a silence", async (context) => {
    if (!isThere("python3", "--version")) return context.skip("there is no python3")
    const code = [
      "import sys",
      'sys.path.insert(0, "examples/sandbox")',
      "import test_sms",
      "calls = test_sms.urlopen",
      "def sooner(request, *, timeout):",
      "    assert timeout > 60",
      "    return calls(request, timeout=timeout / 100)",
      "test_sms.urlopen = sooner",
      "test_sms.Sms.setUpClass()",
      "sms = test_sms.Sms()",
      "try:",
      '    sms.call("PUT", "/_sandbox/fault", {"fault": sys.argv[1]})',
      '    sms.call("POST", "/sms/send", {"recipient": "+15551234567", "message": "Hello"})',
      "except TimeoutError:",
      '    print("ended")',
      "finally:",
      "    test_sms.Sms.tearDownClass()"
    ]
    for (const fault of ["NoResponse", "HeadersThenSilence"]) {
      const { stderr, stdout } = await run("python3", ["-B", "-c", code.join("\n"), fault])
      expect(stdout, stderr).toBe("ended\n")
    }
  })

  it("with requests raise a ConnectionError also for what is sent, as the page says", async (context) => {
    if (!isThere("python3", "-c", "import requests")) return context.skip("Python has no requests")
    await using sandbox = await startSandbox({ token: "secret" })
    const [, reason = ""] = /`(getattr\(.*?\))`/.exec(page) ?? []
    const code = [
      "import http.client, sys",
      "import requests",
      "from urllib3.exceptions import NewConnectionError",
      "from urllib.parse import urlsplit",
      "def send(address, number):",
      '    sms = {"recipient": number, "message": "Hello"}',
      '    headers = {"Authorization": "Bearer secret"}',
      '    requests.post(address + "/sms/send", json=sms, headers=headers, timeout=2)',
      'for address, number in (("http://127.0.0.1:1", "0100"), (sys.argv[2], "0101"), (sys.argv[1], "0900"), (sys.argv[1], "0903")):',
      "    try:",
      '        send(address, "+1555000" + number)',
      "    except requests.ConnectionError as error:",
      `        reason = ${reason}`,
      "        no_connection = isinstance(error, requests.ConnectTimeout) or isinstance(reason, NewConnectionError)",
      '        print(number, "no connection" if no_connection else "unknown")',
      "connection = http.client.HTTPConnection(urlsplit(sys.argv[1]).netloc, timeout=30)",
      "try:",
      '    connection.request("GET", "/sms/0900", headers={"Authorization": "Bearer secret"})',
      "    connection.getresponse()",
      "except ConnectionError:",
      '    print("Python, too")'
    ]
    const { stderr, stdout } = await Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(silentServer, ({ port }) => {
          const addresses = [sandbox.baseUrl, `http://127.0.0.1:${port}`]
          return Effect.promise(() => run("python3", ["-c", code.join("\n"), ...addresses]))
        })
      )
    )
    const said = [
      "0100 no connection",
      "0101 no connection",
      "0900 unknown",
      "0903 unknown",
      "Python, too",
      ""
    ]
    expect(stdout.split("\n"), stderr).toEqual(said)
    const arrived = await sandbox.messages()
    expect(arrived.map(({ recipient }) => recipient.slice(-4))).toEqual(["0903", "0900"])
  })

  it("in Java lose a response, and find their SMS", async (context) => {
    if (!isThere("java", "--version")) return context.skip("there is no Java")
    await using sandbox = await startSandbox({ token: "secret" })
    const settings = { MESSAGING_TOPUP_BASE_URL: sandbox.baseUrl, MESSAGING_TOPUP_TOKEN: "secret" }
    const program = ["examples/sandbox/LostResponse.java"]
    const { code, stderr } = await run("java", program, { env: settings })
    expect(code, stderr).toBe(0)
    expect(await sandbox.messages()).toHaveLength(1)
  })

  it("with curl send, find, lose a response; then reset, force failures, read back", async (context) => {
    if (!isThere("curl", "--version")) return context.skip("there is no curl")
    await using sandbox = await startSandbox({ token: "secret" })
    const outputOf = async (line: string) => (await curl(line)).stdout
    const first = linesOf("first.sh", sandbox.baseUrl)
    expect(first).toHaveLength(3)
    const [send = "", find = "", fault = ""] = first
    expect(await outputOf(send)).toContain('"success":true')
    expect(await outputOf(find)).toContain('"message":"Hello"')
    expect(await outputOf(fault)).toContain("ResetAfterAcceptance")
    // 52: nothing was received; 56: the connection was reset.
    expect([52, 56]).toContain((await curl(send)).code)
    expect(await sandbox.messages()).toHaveLength(2)
    // The fault of the first script waits for the next request.
    await outputOf(fault)
    const force = linesOf("force.sh", sandbox.baseUrl)
    expect(force).toHaveLength(6)
    const [reset = "", refused = "", unavailable = "", failed = "", list = "", requests = ""] =
      force
    expect(await outputOf(reset)).toBe("")
    expect(await outputOf(refused)).toContain('"status":402')
    expect(await outputOf(unavailable)).toContain('"status":503')
    expect(await outputOf(`${failed} --write-out " %{http_code}"`)).toContain("{} 503")
    expect(await outputOf(list)).toContain('"accepted":0')
    expect(await outputOf(requests)).toContain('"received":2')
    // It leaves no fault.
    expect(await outputOf(send)).toContain('"success":true')
  })

  it("with curl two SMS of one call go out once each by the option of the page", async (context) => {
    if (!isThere("curl", "--version")) return context.skip("there is no curl")
    await using sandbox = await startSandbox({ token: "secret" })
    const [, option = ""] = /`(--header "Connection: close")` to each request/.exec(page) ?? []
    const header =
      '--header "Authorization: Bearer secret" --header "Content-Type: application/json"'
    const sms = (recipient: string) =>
      `${header} ${option} --data '{"recipient":"${recipient}","message":"Hello"}' ${sandbox.baseUrl}/sms/send`
    const read = `curl --silent ${option} ${sandbox.baseUrl}/openapi.json`
    // The response of the second one is lost.
    const { code } = await curl(
      `${read} --next ${sms("+15551234567")} --next ${sms("+15551110905")}`
    )
    expect(code).toBe(56)
    const arrived = await sandbox.messages()
    expect(arrived.map(({ recipient }) => recipient)).toEqual(["+15551110905", "+15551234567"])
  })

  it("with curl --retry an SMS whose response is late goes out twice, as the page says", async (context) => {
    if (!isThere("curl", "--version")) return context.skip("there is no curl")
    await using sandbox = await startSandbox({ token: "secret" })
    await sandbox.setFault({ fault: "NoResponse", accept: true, times: 1 })
    const [send = ""] = linesOf("first.sh", sandbox.baseUrl)
    expect((await curl(`${send} --max-time 5 --retry 1`)).code).toBe(0)
    expect(await sandbox.messages()).toHaveLength(2)
  })

  it("with curl in outcome.sh send once, whatever .curlrc says", async (context) => {
    if (!isThere("jq", "--version")) return context.skip("there is no jq")
    await using sandbox = await startSandbox({ token: "secret" })
    await sandbox.setFault({ fault: "ResetAfterAcceptance", times: 1 })
    const home = temporaryFolder()
    writeFileSync(join(home, ".curlrc"), "retry = 2\nretry-all-errors\n")
    const env = {
      CURL_HOME: home,
      MESSAGING_TOPUP_BASE_URL: sandbox.baseUrl,
      MESSAGING_TOPUP_TOKEN: "secret"
    }
    const sms = '{"recipient":"+15551234567","message":"Hello"}'
    const { stdout } = await run("sh", ["examples/sandbox/outcome.sh", sms], { env })
    expect(stdout).toBe("unknown\n")
    expect(await sandbox.messages()).toHaveLength(1)
  })

  it("with promises get a lost response", async () => {
    const { code, stdout } = await runNode(["--test", "examples/sandbox/promise.ts"])
    expect(code, stdout).toBe(0)
    expect(stdout).toMatch(/pass 1$/m)
  })
})

/** The cells of the rows below a head. */
const rowsBelow = (head: string): ReadonlyArray<ReadonlyArray<string>> => {
  const [, rows = ""] = page.split(`${head}\n`)
  const [table = ""] = rows.split("\n\n")
  return table.split("\n").map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim())
  )
}

const numbersIn = (text = ""): ReadonlyArray<number> => (text.match(/\d+/g) ?? []).map(Number)

it("the page names the endpoints of the description", () => {
  const { paths } = JSON.parse(readFileSync("packages/core/openapi.json", "utf8"))
  const described = Object.entries<object>(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `\`${method.toUpperCase()} ${path}\``)
  )
  expect(page.match(/`(?:GET|POST) \/[^`]+`/g)).toEqual(described)
})

/** The command of the page that sends an order. */
const [, sending = ""] = /^(printf .*messaging-topup run .*)$/m.exec(page) ?? []

/** The command of the page that has the ids of the service. */
const [, results = ""] = /`(results - .*?)`/.exec(page) ?? []

/** Runs a command of the page on a sandbox, with a journal of its own. */
const scriptOn = ({ baseUrl }: { readonly baseUrl: string }) => {
  const env = {
    MESSAGING_TOPUP_BASE_URL: baseUrl,
    MESSAGING_TOPUP_TOKEN: "secret",
    MESSAGING_TOPUP_JOURNAL: join(temporaryFolder(), "journal.db")
  }
  return (command: string) =>
    run(
      "sh",
      ["-c", command.replace(/(?:node_modules\/.bin\/)?messaging-topup/, `node ${commandFile}`)],
      { env }
    )
}

it("a program that crashes gives its rows to the command again, and each key is sent once", async () => {
  await using sandbox = await startSandbox({ token: "secret" })
  const script = scriptOn(sandbox)
  // Without its journal, it sends nothing.
  expect((await script(sending)).code).toBe(1)
  expect((await script("messaging-topup init --yes")).code).toBe(0)
  for (let times = 1; times <= 2; times++) {
    const { code, stderr } = await script(sending)
    expect(code, stderr).toBe(0)
    expect((await sandbox.messages()).map(({ message }) => message)).toEqual(["Hello"])
  }
  const [sent] = await sandbox.messages()
  const { stdout } = await script(sending.replace(/run - .*$/, results))
  expect(stdout).toContain(`,sent,${sent?.message_id},`)
})

it("the key that the page recommends is shown, and one of its digits is a digest, found by the number", async () => {
  await using sandbox = await startSandbox({ token: "secret" })
  const script = scriptOn(sandbox)
  expect((await script("messaging-topup init --yes")).code).toBe(0)
  const [, key = "", digits = ""] = /Write `(\w+-(\d+))`/.exec(page) ?? []
  for (const [name, recipient] of [
    [key, "+15550000500"],
    [digits, "+15550010500"]
  ] as const) {
    const { code } = await script(
      sending.replace("order-1", name).replace("+15551234567", recipient)
    )
    expect(code).toBe(3)
    const found = await script(`messaging-topup sends --unknown --to ${recipient} --json`)
    expect(JSON.parse(found.stdout)).toMatchObject({
      key: name === key ? key : expect.not.stringContaining(digits)
    })
  }
})

/** The failures of all levels, and what only this table has. */
const rows: ReadonlyArray<readonly [string, Failure]> = [
  ...failures,
  [
    "success",
    { tag: "", outcome: "sent", reads: 1, row: "sent", respond: () => reply(202, acceptance) }
  ],
  [
    "429 and half a body",
    { tag: "", outcome: "not-sent", reads: 1, row: "nothing", respond: () => breakOff(429) }
  ],
  [
    "a certificate that nobody trusts",
    {
      tag: "",
      outcome: "not-sent",
      reads: 1,
      row: "nothing",
      address: Effect.map(
        Effect.suspend(() => listening(createServer(certificateFor("127.0.0.1")))),
        ({ port }) => `https://127.0.0.1:${port}`
      )
    }
  ]
]

/** Of these, core knows that they are sent. The second one is complete for those who read it all. */
const lessOf202 = new Set(["success and truncated JSON", "success and a body that is too large"])

const table = rowsBelow("| What happens | curl's exit code | The SMS |").slice(1)

const parsed = (body: string): Readonly<Record<string, unknown>> => {
  try {
    const json: unknown = JSON.parse(body)
    return isReadonlyObject(json) ? json : {}
  } catch {
    return {}
  }
}

/** The lines of the table, as conditions in their order. */
const conditions: ReadonlyArray<(code: number, status: number, body: string) => boolean> = [
  (code, status) => status === 0 && numbersIn(table[0]?.[1]).includes(code),
  (code, status, body) => {
    const [always, ...refused] = numbersIn(table[1]?.[0])
    if (status === always) return true
    return code === 0 && refused.includes(status) && isReadonlyObject(parsed(body)["error"])
  },
  (code, status, body) => {
    const { data, error, success } = parsed(body)
    const hasResult = Array.isArray(data) && data.some(isReadonlyObject)
    return code === 0 && status === 202 && success === true && hasResult && !isReadonlyObject(error)
  },
  (code, status) => code !== 0 && status === 202,
  () => true
]

/** What the page's third column says. */
const outcomeOf = (code: number, status: number, body: string): SendOutcome => {
  const line = conditions.findIndex((holds) => holds(code, status, body))
  const said = table[line]?.[2] ?? ""
  return said === "not sent" ? "not-sent" : said.startsWith("unknown") ? "unknown" : "sent"
}

const patienceSeconds = ({ stalls }: Failure): string => (stalls === undefined ? "60" : "5")

const withCurl = async (baseUrl: string, failure: Failure): Promise<SendOutcome> => {
  const options = `--silent --max-time ${patienceSeconds(failure)} --data {}`.split(" ")
  const { code, stdout } = await run("curl", [
    ...options,
    "--write-out",
    "\n%{http_code}",
    `${baseUrl}/sms/send`
  ])
  const end = stdout.lastIndexOf("\n")
  return outcomeOf(code ?? -1, Number(stdout.slice(end + 1)), stdout.slice(0, end))
}

it.live.each([
  ["/sms/send\n", "sent", 1],
  ["/sms/send ", "sent", 1],
  ["/sms/\nsend", "InvalidURL", 0]
] as const)("in Python the path %j is not told as unknown", ([path, says, count]) =>
  Effect.promise(async () => {
    if (!isThere("python3", "--version")) return
    await using sandbox = await startSandbox({ token: "secret" })
    const { host } = new URL(sandbox.baseUrl)
    const code = [
      "import sys",
      "from http.client import HTTPConnection",
      'sys.path.insert(0, "examples/sandbox")',
      "from outcome import send",
      'sms = {"recipient": "+15551234567", "message": "Hello"}',
      'print(send(HTTPConnection(sys.argv[1], timeout=30), sys.argv[2], "secret\\n", sms))'
    ]
    const { stderr, stdout } = await run("python3", ["-B", "-c", code.join("\n"), host, path])
    expect(stdout + stderr).toContain(says)
    expect(await sandbox.messages()).toHaveLength(count)
  })
)

/** Sends an SMS for each line (a number, an address, how many seconds it waits), all at once. Says how it ended. */
const program = `
import sys
from http.client import HTTPConnection, HTTPSConnection
from threading import Thread
from urllib.parse import urlsplit
sys.path.insert(0, "examples/sandbox")
from outcome import send

def end_of(address, seconds):
    url = urlsplit(address)
    kind = HTTPSConnection if url.scheme == "https" else HTTPConnection
    connection = kind(url.netloc, timeout=int(seconds))
    try:
        end = send(connection, "/sms/send", "secret", {})
        return end if connection.sock is None else "still open"
    except BaseException as error:
        return repr(error)

def say(number, *where):
    print(f"{number} {end_of(*where)}\\n", end="", flush=True)

for line in sys.stdin:
    Thread(target=say, args=line.split()).start()
`

/** One process for all sends, because Python takes longer to start than to send. */
let python: Running | undefined

let sends = 0

const withPython = async (baseUrl: string, failure: Failure): Promise<string | undefined> => {
  const number = ++sends
  python?.child.stdin?.write(`${number} ${baseUrl} ${patienceSeconds(failure)}\n`)
  return (await python?.until(new RegExp(`^${number} (.*)$`, "m")))?.[1]
}

const withShell = async (baseUrl: string, failure: Failure): Promise<string> => {
  const env = { MESSAGING_TOPUP_BASE_URL: baseUrl, MESSAGING_TOPUP_TOKEN: "secret" }
  const shell = ["examples/sandbox/outcome.sh", "{}", patienceSeconds(failure)]
  return (await run("sh", shell, { env })).stdout.trim()
}

const programs = [
  ["curl", withCurl] as const,
  ["jq", withShell] as const,
  ["python3", withPython] as const
].filter(([name]) => isThere(name, "--version"))

describe.concurrent("what a failure means for a send", () => {
  beforeAll(() => {
    if (!programs.some(([name]) => name === "python3")) return
    python = start("python3", ["-B", "-c", program], { stdin: "open" })
  })
  afterAll(() => python?.[Symbol.asyncDispose]())

  it("has the statuses of core", () => {
    const statuses = Object.values(documentedErrors)
      .filter(({ sendOutcome }) => sendOutcome === "not-sent")
      .map(({ status }) => status)
    expect(numbersIn(table[1]?.[0])).toEqual([429, ...statuses])
    expect(table).toHaveLength(conditions.length)
  })

  it.live.each(rows)("is the same with curl and in Python after %s", ([what, failure]) =>
    Effect.gen(function* () {
      yield* Effect.forEach(
        programs,
        Effect.fnUntraced(function* ([name, send]) {
          const { baseUrl } = yield* failingService(failure)
          const knowsLess =
            lessOf202.has(what) || (name !== "python3" && failure.stalls === "before the start")
          const said = yield* Effect.promise(() => send(baseUrl, failure))
          expect(`${name}: ${said}`).toBe(`${name}: ${knowsLess ? "unknown" : failure.outcome}`)
        }),
        { concurrency: "unbounded" }
      )
    })
  )
})
