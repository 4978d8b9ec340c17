import { describe, expect, it } from "@effect/vitest"
import { SendJournal } from "@messaging-topup/journal"
import { locate, nameOf } from "@messaging-topup/journal/internal"
import { layer } from "@messaging-topup/journal/open"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import { openJournal } from "@messaging-topup/journal/promise"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { readdirSync, statSync, writeFileSync } from "node:fs"
import { isAbsolute, join, resolve } from "node:path"
import { inspect } from "node:util"
import { alone, csvOf } from "../harness/Command.ts"
import { start } from "../harness/journal/Programs.ts"
import { callOf, openStdio, requestOf } from "../harness/mcp/RawStdio.ts"
import { folder } from "../harness/TemporaryFolder.ts"

/**
 * What people write as the place of a journal, and what it is: the same for every program. A text that is refused is a
 * mistake, or would be another journal for each folder or spelling.
 */

/** What a text is on every platform. `{folder}` is a folder of the test. */
const places: ReadonlyArray<
  readonly ["file" | "memory" | "postgres" | "refused", ReadonlyArray<string>]
> = [
  [
    "file",
    [
      "journal.sqlite",
      " journal.sqlite",
      "journal.sqlite\n",
      "./journal.sqlite",
      "a/b/journal.sqlite",
      "{folder}/journal.sqlite",
      "{folder}/a b/journal.sqlite\r\n",
      "it's.sqlite",
      "memory.sqlite",
      "memory/journal.sqlite",
      "postgres.sqlite",
      "a~b$c.sqlite",
      "100%.sqlite"
    ]
  ],
  ["memory", ["memory", "memory ", "\tmemory\n"]],
  [
    "postgres",
    [
      "postgres://user:s3cret@db.example/app",
      "postgresql://user:s3cret@db.example/app",
      " postgres://user:s3cret@db.example/app\n"
    ]
  ],
  [
    "refused",
    [
      "",
      " ",
      '"postgres://user:s3cret@db.example/app"',
      "'postgres://user:s3cret@db.example/app'",
      "`postgres://user:s3cret@db.example/app`",
      '"{folder}/journal.sqlite"',
      "{folder}/journal.sqlite'",
      "postgresql+psycopg2://user:s3cret@db.example/app",
      "Postgres://user:s3cret@db.example/app",
      "mysql://user:s3cret@db.example/app",
      "https://user:s3cret@db.example/app",
      "file:///s3cret/journal.sqlite",
      "url=postgres://user:s3cret@db.example/app",
      "postgres:/user:s3cret@db.example/app",
      "postgresql:user:s3cret@db.example/app",
      "postgres//user:s3cret@db.example/app",
      "postgresql;//user:s3cret@db.example/app",
      "//user:s3cret@db.example/app",
      "user:s3cret@db.example/app",
      "Host=db.example;Pwd=s3cret",
      "POSTGRES:s3cret",
      "Postgres",
      "postgresql",
      "host=db.example user=u password=s3cret",
      "host=db.example PASSWORD=s3cret",
      "host=s3cret port=5432 dbname=app",
      "dbname = s3cret",
      "file:s3cret.sqlite",
      "file:/s3cret/journal.sqlite",
      "jdbc:postgresql:s3cret",
      "JDBC:sqlite:s3cret",
      "sqlite:s3cret.sqlite",
      "SQLite:s3cret.sqlite",
      "~/s3cret.sqlite",
      "~s3cret/journal.sqlite",
      "$HOME/s3cret.sqlite",
      "${HOME}/s3cret.sqlite",
      "%LOCALAPPDATA%\\s3cret.sqlite",
      ":memory:",
      "Memory",
      "MEMORY",
      ":memory",
      "s3cret.sqlite\njournal.sqlite",
      "s3cret\0.sqlite"
    ]
  ]
]

const unreadable = "write special characters of the user and the password as %40 for @"

const servers = "names several servers"

/** URLs that cannot work, and what is said of them. */
const wrongUrls: ReadonlyArray<readonly [url: string, says: string]> = [
  // Special characters of a password, as they are.
  ["postgres://user:s3cret%x@db.example/app", unreadable],
  ["postgres://user:s3cret/x@db.example/app", unreadable],
  ["postgres://user:s3@cret/x@db.example:5432/app", unreadable],
  ["postgres://user:12/s3cret@db.example/app", unreadable],
  ["postgres://user:s3cret?x@db.example/app", unreadable],
  ["postgres://user:12?s3cret@db.example/app", unreadable],
  ["postgres://user:s3@cret?x@db.example/app", unreadable],
  ["postgres://user:s3cret#x@db.example/app", unreadable],
  ["postgres://user:12#s3cret@db.example/app", unreadable],
  ["postgres://us%er:s3cret@db.example/app", unreadable],
  ["postgres://user:s3cret@db.example/a%", unreadable],
  ["postgres://user:s3cret@db.example:port/app", unreadable],
  ["postgres://user:s3cret@db.example:99999/app", unreadable],
  ["postgres://user:s3cret@db.example,other.example/app", servers],
  ["postgres://user:s3cret@db.example:5432,other.example:5432/app", servers],
  ["postgres://user:s3cret@/app?host=/run/a,/run/b", "write postgres:///DATABASE?host=/FOLDER"],
  ["postgres:///app?user=user&password=s3cret&host=db.example,other.example", servers],
  ["postgres://user:s3cret@/app?host=/run/postgresql", "write postgres:///DATABASE?host=/FOLDER"],
  ["postgres://user:s3cret@db.example:0/app", "port in the URL"],
  ["postgres://user:s3cret@db.example/app?port=s3cret", "port in the URL"],
  ["postgres://user:s3cret@db.example/app?sslmode=no-verify", "sslmode in the URL: give one of"],
  ["postgres://user:s3cret@db.example/app?sslmode=", "sslmode in the URL: give one of"],
  ["postgres://user:s3cret@db.example/app?sslmode=Require", "sslmode in the URL: give one of"],
  ["postgres://user:s3cret@db.example/app?sslrootcert=/s3cret.pem", "in NODE_EXTRA_CA_CERTS"],
  ["postgres://user:s3cret@db.example/app?sslcert=/s3cret.pem", "sslcert in the URL has no effect"],
  ["postgres://user:s3cret@db.example/app?connect_timeout=5s", "connect_timeout in the URL"]
]

/** URLs that may work. */
const rightUrls = [
  "postgres://user:p%40s%2Fs%3Fw%23%25@db.example:6432/app?sslmode=verify-full&application_name=a",
  "postgres://user:p@ss:word$&=ü@db.example/app",
  "postgres://user@127.0.0.1/app",
  "postgres://user:s3cret@[::1]:5432/app?sslmode=disable&connect_timeout=0",
  "postgres:///app?host=/run/postgresql&user=user@tenant&password=s3cret",
  "postgres://db.example/app?user=user@tenant&port=6432",
  "postgresql://user:s3cret@db.example/app?sslmode=require&sslrootcert=system",
  "postgres://user:s3cret@db.example"
]

const variable = "MESSAGING_TOPUP_JOURNAL"

const platforms = ["linux", "darwin", "win32"] as const

const end = "messaging-topup/journal.sqlite"
const windowsEnd = "messaging-topup\\journal.sqlite"
const linux = `/home/u/.local/state/${end}`
const darwin = `/home/u/Library/Application Support/${end}`
const win32 = `\\home\\u\\AppData\\Local\\${windowsEnd}`
const state = `/state/${end}`
const local = `C:\\Local\\${windowsEnd}`
const user = { HOME: "/home/u" }

type File = string | undefined

/** Where the journal of a user is, on each of the platforms; undefined if this user has no home folder. */
const homes: ReadonlyArray<readonly [Readonly<Record<string, string>>, File, File, File]> = [
  [user, linux, darwin, win32],
  [{ ...user, XDG_STATE_HOME: "", LOCALAPPDATA: "" }, linux, darwin, win32],
  // As their specifications say, a relative one is ignored.
  [{ ...user, XDG_STATE_HOME: "state", LOCALAPPDATA: "Local" }, linux, darwin, win32],
  [{ ...user, XDG_STATE_HOME: "/state", LOCALAPPDATA: "C:\\Local" }, state, darwin, local],
  [{ HOME: "", XDG_STATE_HOME: "/state", LOCALAPPDATA: "C:\\Local" }, state, undefined, local],
  [{ HOME: "" }, undefined, undefined, undefined],
  [{ HOME: "home" }, undefined, undefined, undefined],
  [{ HOME: ".", XDG_STATE_HOME: "./state" }, undefined, undefined, undefined],
  [{ HOME: "C:\\Users\\u" }, undefined, undefined, `C:\\Users\\u\\AppData\\Local\\${windowsEnd}`]
]

const secret = "postgres://user:s3cret@db.example/app"

const mounted = `${variable}_MUST_BE_MOUNTED`

/** Where it is by `--journal` and the variables: a file, `memory`, a URL, or a problem. */
const placed = (
  given: string | undefined,
  environment: Readonly<Record<string, string>>,
  platform?: string
) =>
  Result.match(locate(given, environment, platform), {
    onFailure: (problem) => `problem: ${problem}`,
    onSuccess: (found) => {
      if (found._tag === "Sqlite") return found.file
      return found._tag === "Memory" ? "memory" : Redacted.value(found.url)
    }
  })

const wrong = /^problem: .*(path of a file|postgres)/

const texts = places.flatMap(([kind, ofKind]) => ofKind.map((text) => [text, kind] as const))

describe("where a journal is, by option and variable", () => {
  it.each(platforms)(
    "a text is the same on every platform, and is not repeated: %s",
    (platform) => {
      for (const [text, kind] of texts.filter(([each]) => each !== "")) {
        const found = placed(undefined, { [variable]: text }, platform)
        if (kind !== "refused") expect(found).toBe(text.trim())
        else expect(found).toMatch(wrong)
        if (kind === "refused") expect(found).not.toContain("s3cret")
      }
    }
  )

  it.each(homes)(
    "without a text, it is one of this user, if there is a home: %j",
    (environment, ...files) => {
      const found = platforms.map((platform) => placed(undefined, environment, platform))
      expect(found).toEqual(
        files.map(
          (file) => file ?? expect.stringContaining("problem: this user has no home folder")
        )
      )
    }
  )

  it.each([
    ["a.sqlite", { [variable]: "b.sqlite" }, "a.sqlite"],
    ["postgres", { [variable]: `${secret}\n` }, secret],
    ["postgres", { [variable]: "b.sqlite" }, wrong],
    ["postgres", {}, wrong],
    // Other users of the machine see arguments.
    [secret, {}, wrong],
    [undefined, { [variable]: "a", [`${variable}_FILE`]: "b" }, /both are set/],
    [undefined, { [`${variable}_FILE`]: "/no/such/file" }, /\/no\/such\/file cannot be read/],
    // The secret itself, in the variable of its file.
    [undefined, { [`${variable}_FILE`]: secret }, /: the file that it names cannot be read/],
    [undefined, { [`${variable}_FILE`]: "/dev/null" }, /_FILE: \/dev\/null is empty/],
    // What was to name a journal is missing.
    [undefined, { [variable]: "" }, /MESSAGING_TOPUP_JOURNAL\): the variable is empty/],
    [
      "postgres",
      { [`${variable}_FILE`]: "" },
      /MESSAGING_TOPUP_JOURNAL_FILE\): the variable is empty/
    ],
    ["a.sqlite", { [variable]: "" }, "a.sqlite"],
    // As an image sets it. A test cannot mount a folder, but the system has one.
    [
      undefined,
      { [variable]: "/tmp/x/y.sqlite", [mounted]: "true" },
      /nothing is mounted at .tmp.x/
    ],
    [
      "/tmp/x/y.sqlite",
      { [variable]: "/tmp/x/y.sqlite", [mounted]: "true" },
      /nothing is mounted at .tmp.x/
    ],
    ["/tmp/x/y.sqlite", { [mounted]: "true" }, "/tmp/x/y.sqlite"],
    [undefined, { [variable]: "/proc/y.sqlite", [mounted]: "true" }, "/proc/y.sqlite"],
    [undefined, { HOME: "/tmp", [mounted]: "true" }, /nothing is mounted at .*messaging-topup/]
  ])("%s, %j", (given, environment, expected) => {
    const found = placed(given, environment)
    if (typeof expected === "string") return expect(found).toBe(expected)
    expect(found).toMatch(expected)
    expect(found).not.toContain("s3cret")
  })

  it.each(wrongUrls)(
    "a URL that cannot work is refused by name, without its values: %s",
    (url, says) => {
      const found = placed(undefined, { [variable]: url })
      expect(found).toContain(`problem: --journal (${variable}): `)
      expect(found).toContain(says)
      expect(found).not.toMatch(/s3cret|db\.example/)
    }
  )

  it.each(rightUrls)("a URL that may work is taken as it is: %s", (url) => {
    expect(placed(undefined, { [variable]: url })).toBe(url)
  })

  it.effect("a file that a variable names has it, too", () =>
    Effect.gen(function* () {
      const path = yield* folder
      writeFileSync(join(path, "url"), `${secret}\n`)
      expect(placed(undefined, { [`${variable}_FILE`]: join(path, "url") })).toBe(secret)
    })
  )
})

const service = { MESSAGING_TOPUP_BASE_URL: "http://127.0.0.1:1", MESSAGING_TOPUP_TOKEN: "token" }

/** What a program says of a place. */
interface Opened {
  readonly refusal?: string
  /** That it created a journal. */
  readonly said?: ReadonlyArray<string>
  /** Where the journal is, from a program that creates none. */
  readonly name?: unknown
}

type Way = (place: string) => Effect.Effect<Opened>

/** Opens the journal at a place in each way. The current folder has a list. */
const ways: Readonly<Record<string, Way>> = {
  "the command": (place) =>
    Effect.map(
      alone(["run", "list.csv", "--dry-run", `--journal=${place}`]),
      ({ code, events, stderr }) =>
        code === 0 ? { name: events[1]?.["journal"] } : { refusal: stderr }
    ),
  "the server": (place) =>
    Effect.promise(async () => {
      await using stdio = await openStdio("modern", [`--journal=${place}`], { env: service })
      const { server } = stdio
      // A place that is refused ends it.
      await stdio.ask(callOf("modern", 1, "list_recent_sends")).catch(() => undefined)
      const created = server.log.entries().filter(({ event }) => event === "journal created")
      server.stop()
      const { code, stderr } = await server.ended
      return code === 0 ? { said: created.map(({ note }) => String(note)) } : { refusal: stderr }
    }),
  openJournal: (place) =>
    Effect.promise(async () => {
      const said = new Array<string>()
      const note = ({ message }: Error) => void said.push(message)
      process.on("warning", note)
      const account = { baseUrl: service.MESSAGING_TOPUP_BASE_URL, token: "token" }
      const use = async () => {
        await using journal = openJournal({ ...account, journal: place })
        await journal.resolve({ campaign: "c" }, "sent")
      }
      const refusal = await use().catch(({ message }: Error) => message)
      // Node reports warnings in the next tick.
      await new Promise((done) => process.nextTick(done))
      process.off("warning", note)
      return refusal === undefined ? { said } : { refusal }
    }),
  layer: (place) => {
    const said = new Array<string>()
    const logger = Logger.make<unknown, void>(({ message }) => void said.push(String(message)))
    return Effect.exit(Effect.scoped(Layer.build(layer(place)))).pipe(
      Effect.provide(Logger.layer([logger])),
      Effect.map((exit) => (Exit.isSuccess(exit) ? { said } : { refusal: String(exit) }))
    )
  }
}

/** Makes a new folder the current one. */
const inFolder = Effect.gen(function* () {
  const path = yield* folder
  const before = process.cwd()
  yield* Effect.addFinalizer(() => Effect.sync(() => process.chdir(before)))
  process.chdir(path)
  writeFileSync("list.csv", csvOf(1))
  return path
})

const filesOf = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "list.csv")
    .map(({ name, parentPath }) => join(parentPath, name))

const sentenceOf = (file: string, text: string): string => {
  const sentence = `A new journal was created: ${file}. What was sent before, with another journal, goes out again`
  return isAbsolute(text)
    ? sentence
    : `${sentence}; in another folder, this path is another journal`
}

describe.each(Object.entries(ways))("a journal opened by %s", (name, way) => {
  const isArgument = name === "the command" || name === "the server"
  const refused = texts.filter(
    ([, kind]) => kind === "refused" || (isArgument && kind === "postgres")
  )

  it.live.each(refused)(
    "is at no place that may be a mistake, which is not repeated: %j",
    ([text]) =>
      Effect.gen(function* () {
        const path = yield* inFolder
        const { refusal } = yield* way(text.replace("{folder}", path))
        expect(refusal).toMatch(/give the path of a file|give postgres/)
        expect(refusal).not.toMatch(/s3cret|db\.example|"journal|journal\.sqlite'/)
        expect(readdirSync(path)).toEqual(["list.csv"])
      })
  )

  it.live.each(texts.filter(([, kind]) => kind === "file" || kind === "memory"))(
    "is where the text says, and says so if it is new: %j",
    ([text, kind]) =>
      Effect.gen(function* () {
        const path = yield* inFolder
        const place = text.replace("{folder}", path)
        const file = resolve(place.trim())
        const isFile = kind === "file"
        const opened = yield* way(place)
        if (name === "the command") {
          expect(opened).toEqual({ name: isFile ? file : "memory" })
          return expect(filesOf(path)).toEqual([])
        }
        const sentence = expect.stringContaining(sentenceOf(file, place.trim()))
        expect(opened).toEqual({ said: isFile ? [sentence] : [] })
        expect(filesOf(path)).toEqual(isFile ? [file] : [])
        // Later starts say nothing.
        expect(yield* way(place)).toEqual({ said: [] })
      })
  )
})

it.live(
  "a server over stdio creates no journal before a call needs it, as a process that a client starts to try",
  () =>
    Effect.gen(function* () {
      const path = yield* inFolder
      yield* Effect.promise(async () => {
        const args = ["--journal=journal.sqlite"]
        await using stdio = await openStdio("modern", args, { env: service })
        await stdio.ask(requestOf("modern", 1, "tools/list"))
        stdio.server.stop()
        await stdio.server.ended
      })
      expect(filesOf(path)).toEqual([])
    })
)

describe("a journal opened by its place", () => {
  const opened = (place: string) =>
    Effect.flatMap(SendJournal, ({ prune }) => prune({ campaign: "c" })).pipe(
      Effect.provide(layer(place), { local: true })
    )

  it.effect("is a file, in a folder that is created for its owner only", () =>
    Effect.gen(function* () {
      const outer = join(yield* folder, "a")
      const file = join(outer, "b", "journal.db")
      yield* opened(file)
      yield* opened(file)
      for (const path of [outer, join(outer, "b")]) expect(statSync(path).mode & 0o777).toBe(0o700)
    })
  )

  it.each([
    ["postgres://user:s3cret@db.example/sms?sslmode=require", "db.example/sms"],
    ["postgresql://s3cret:s3cret@db.example:6432/", "db.example:6432"],
    [
      "postgres://db.example/a?user=s3cret&password=s3cret&port=6432&dbname=sms",
      "db.example:6432/sms"
    ],
    ["postgres:///sms?host=/run/postgresql&user=s3cret", "/run/postgresql/sms"],
    ["postgres:///sms?user=s3cret", "localhost/sms"]
  ])(
    "is named by its server and its database, and not by its user or password: %s",
    (url, name) => {
      expect(Result.map(locate(undefined, { MESSAGING_TOPUP_JOURNAL: url }), nameOf)).toEqual(
        Result.succeed(`PostgreSQL ${name}`)
      )
    }
  )

  it.effect.each(wrongUrls)("is refused at once if its URL cannot work: %s", ([url, says]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(opened(url))
      expect(error).toMatchObject({ _tag: "ConfigurationError", setting: "journal" })
      expect(error.message).toContain(says)
      expect(inspect(error, { depth: Infinity, showHidden: true })).not.toMatch(
        /s3cret|db\.example/
      )
    })
  )

  it.effect.each([undefined, null, 5, " "])("is refused if its place is %j", (place) =>
    Effect.gen(function* () {
      const path = yield* inFolder
      const layers = { layer, file: Sqlite.layer }
      for (const open of Object.values(layers)) {
        const error = yield* Effect.flip(Effect.scoped(Layer.build(open(place as never))))
        expect(error).toMatchObject({ _tag: "ConfigurationError", setting: "journal" })
      }
      expect(filesOf(path)).toEqual([])
    })
  )

  // Node's own way to create folders never ends in /proc.
  it.effect.each(["/dev/null/journal.db", "/proc/none/folder/journal.db"])(
    "is refused if its folder cannot be created: %s",
    (place) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(opened(place))
        expect(error).toMatchObject({ _tag: "JournalUnavailable", problem: "unreachable" })
        expect(error.message).toContain(`The journal ${place} is not available (`)
      })
  )

  it.live("names the package to install if the driver of PostgreSQL is missing", () =>
    Effect.gen(function* () {
      const { nextLine } = yield* start("withoutDriver.ts")
      expect(JSON.parse(yield* Effect.promise(nextLine))).toMatchObject({
        problem: "driver-missing",
        message: expect.stringContaining("npm install @effect/sql-pg")
      })
    })
  )
})
