/**
 * The steps of a campaign's transcript. Each section has a folder, a journal and a service of its own:
 *
 *     $ file rows.csv          the `>` lines below it are its content; `\u0000` is a character
 *     $ rows rows.csv          reads the file as the command does
 *     $ service well           or a fault of the sandbox as JSON
 *     $ sms                    the SMS that the service has accepted
 *     $ ls                     the files of the folder
 *     $ run rows.csv < y       the command in a terminal, and what a person types; the `>` lines below it are saved
 *                              in the list before that
 *     $ run rows.csv           the command without a terminal: its stdout, its stderr (`!`), its exit code; the `>`
 *                              lines below it are its stdin
 */
import * as StopList from "messaging-topup/src/input/StopList.ts"
import { isCountry, normalizeTo } from "messaging-topup/src/input/PhoneNumber.ts"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { stripVTControlCharacters } from "node:util"
import { folder } from "../TemporaryFolder.ts"
import { transcriptOf as played } from "../Transcript.ts"
import { alone, command, makeJournal, csvOf, onSandbox } from "../Command.ts"
import { read, sourceOf, templateOf } from "./Reading.ts"

type Words = ReadonlyArray<string>

interface Step {
  readonly words: Words
  readonly content: ReadonlyArray<string>
}

const unescaped = (text: string): string =>
  text.replaceAll(/\\u([\da-f]{4})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))

const escaped = (text: string): string =>
  text.replaceAll(
    /[^\P{C}\n]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

const wordsOf = (line: string): Words =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? "")

const encoded: Readonly<Record<string, (text: string) => Buffer>> = {
  latin1: (text) => Buffer.from(text, "latin1"),
  utf16: (text) => Buffer.from(text, "utf16le"),
  "utf16-big": (text) => Buffer.from(text, "utf16le").swap16()
}

/** `$ file NAME [N rows | ENCODING [odd] | with a long row | without an end]` */
const contentOf = ({ content, words: [, , how = "", more] }: Step): Buffer | string => {
  if (more === "rows") return csvOf(Number(how))
  const text = unescaped(content.map((line) => `${line}\n`).join(""))
  if (how === "with") return text.replace("LONG", "x".repeat(1024 * 1024))
  if (how === "without") return text.slice(0, -1)
  const bytes = encoded[how]?.(text) ?? Buffer.from(text)
  return more === "odd" ? bytes.subarray(0, -1) : bytes
}

/** The rows of a file, or why it cannot be read. */
const rowsOf = Effect.fnUntraced(function* (path: string, [name = "", ...given]: Words) {
  const fileAt = (of: string) => readFileSync(join(path, of))
  const after = (option: string) =>
    given.includes(option) ? given[given.indexOf(option) + 1] : undefined
  const [country, template, list] = ["--country", "--template", "--exclude"].map(after)
  const normalize = country !== undefined && isCountry(country) ? normalizeTo(country) : undefined
  const recipientColumn = after("--recipient-column")
  const options = {
    normalize,
    isExcluded:
      list === undefined
        ? undefined
        : (yield* StopList.read(sourceOf(fileAt(list)), normalize, recipientColumn)).has,
    template: template === undefined ? undefined : templateOf(template),
    recipientColumn,
    keyColumn: after("--key-column"),
    ignoreColumns: given.includes("--ignore-columns"),
    allowRepeats: given.includes("--allow-repeats")
  }
  return (yield* read(fileAt(name), options))
    .map(({ field = "row", line, message, problem, recipient }) =>
      problem === undefined
        ? `${line}: ${recipient} ${JSON.stringify(message)}`
        : `${line}: ${field}: ${problem}`
    )
    .join("\n")
})

/** What a terminal still shows: the answer ends the line, and progress is overwritten. */
const screenOf = (text: string, answer: string): string =>
  stripVTControlCharacters(text)
    .replace("[y/N] ", `[y/N] ${answer}\n`)
    .split("\n")
    .map((line) => line.slice(line.lastIndexOf("\r") + 1))
    .join("\n")

/** What differs between two runs. */
const withoutChance = (text: string, path: string): string =>
  text
    .replaceAll(`${path}/`, "")
    // How many outcomes the journal takes at once depends on the machine.
    .replaceAll(/^\{"event":"Settled".*\n/gm, "")
    .replaceAll(/sbx-\d+-[a-z]{8}/g, "sbx-ID")
    .replaceAll(/(?<=last on )\d{4}-\d\d-\d\d/g, "DAY")
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d\d:\d\d/g, "TIME")
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "TIME")
    // A key that the command made is a digest of this journal.
    .replaceAll(/(?<=^[! ] .*  )[\w-]{22}$/gm, "KEY")
    .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:PORT")

const runCommand = Effect.fnUntraced(function* (path: string, step: Step) {
  const { content, words: given } = step
  const typed = given.indexOf("<")
  const answer = given[typed + 1] ?? ""
  const words = typed === -1 ? given : given.slice(0, typed)
  const placed = words.map((word) => (/\.(csv|txt|html)$/.test(word) ? join(path, word) : word))
  const isAlone = placed[0] === "alone"
  const args = isAlone ? placed.slice(1) : placed
  // A rehearsal takes none.
  const hasJournal =
    ["--journal", "--sandbox"].some((option) => args.includes(option)) ||
    (args[0] === "run" && args.includes("--to")) ||
    !args.some((word) => /^[^-]/.test(word))
  const journal = hasJournal ? [] : ["--journal", join(path, "journal.sqlite")]
  const isSending = !isAlone && (args[0] === "run" || args.includes("--statuses"))
  const [, list = ""] = args
  function* typing() {
    if (content.length > 0) writeFileSync(list, contentOf(step))
    yield `${answer}\n`
  }
  const { code, stderr, stdout } = yield* (isSending ? command : alone)(
    [...args, ...journal],
    typed === -1
      ? { stdin: content.length === 0 ? [] : [contentOf(step)] }
      : { columns: 80, stdin: typing() }
  )
  const said = typed === -1 ? stderr : screenOf(stderr, answer)
  return [stdout, said.replaceAll(/^(?=.)/gm, "! "), code === 0 ? "" : `exit ${code}`].join("\n")
})

const run = (path: string, step: Step) =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox
    const [name = "", first = "", ...more] = step.words
    switch (name) {
      case "file":
        writeFileSync(join(path, first), contentOf(step))
        return ""
      case "rows":
        return yield* Effect.catch(rowsOf(path, [first, ...more]), ({ message }) =>
          Effect.succeed(message)
        )
      case "service":
        yield* first === "well" ? sandbox.clearFault : sandbox.setFault(JSON.parse(first))
        return ""
      case "ls":
        return readdirSync(path).join("\n")
      case "sms": {
        const all = (yield* sandbox.messages()).map((sms) => `${sms.recipient} ${sms.message}`)
        const shown = all.length > 10 ? [] : all.toSorted()
        return [`${all.length} SMS, ${new Set(all).size} different`, ...shown].join("\n")
      }
      default:
        return yield* runCommand(path, step)
    }
  })

/** Without a person, a run creates no journal. */
const emptyJournal = (path: string) => makeJournal(join(path, "journal.sqlite"))

/** The transcript of a file, as it is now. */
export const transcriptOf = (file: string) =>
  played(file, (steps) =>
    Effect.flatMap(Effect.tap(folder, emptyJournal), (path) =>
      steps((line, content) =>
        Effect.map(run(path, { words: wordsOf(line), content }), (output) =>
          withoutChance(escaped(output), path)
        )
      )
    ).pipe(onSandbox)
  )
