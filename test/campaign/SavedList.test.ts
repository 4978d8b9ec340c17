/**
 * A list that is saved while its run reads it: nobody gets a text that was not in the list when the run began.
 */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { renameSync, writeFileSync } from "node:fs"
import { alone, csvOf, fileOf, main, numberOf } from "../harness/Command.ts"
import { contract } from "../harness/Contract.ts"
import { reply, responseServer } from "../harness/ResponseServer.ts"

/** So many that most of them are read only after the first SMS went out. */
const count = 2500

const long = "Hello".padEnd(200, "o")

const listOf = (rows: number) => csvOf(rows).replaceAll("Hello", long)

const list = listOf(count)

const longer = list.replaceAll("Hello", "Another and longer Hello")

type Save = (file: string) => void

const inPlace =
  (content: string): Save =>
  (file) =>
    writeFileSync(file, content)

const renamed: Save = (file) => {
  writeFileSync(`${file}.new`, longer)
  renameSync(`${file}.new`, file)
}

it.live.each<readonly [how: string, at: number, save: Save]>([
  ["with longer texts", 1, inPlace(longer)],
  ["with fewer rows", 1, inPlace(listOf(1500))],
  ["with other texts of the same length", 1000, inPlace(list.replaceAll("Hello", "Olleh"))],
  ["under another name, and renamed", 1, renamed]
])(
  "a list that is saved %s at SMS %i ends its run, and what is left is sent once",
  ([, at, save]) =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(list)
      const server = yield* responseServer
      const texts = new Array<string>()
      server.respondWith(({ body, ...request }, response) => {
        texts.push(JSON.parse(body).message)
        if (texts.length === at) save(file)
        reply(202, contract.sendSms.success)({ body, ...request }, response)
      })
      const env = {
        MESSAGING_TOPUP_BASE_URL: server.baseUrl,
        MESSAGING_TOPUP_TOKEN: "token"
      }
      const run = alone(["run", file, "--yes", "--journal", journal], { env })
      const { code, stderr } = yield* run
      const shown = new Set(Array.from({ length: count }, (_, index) => `${long} ${index}`))
      expect(texts.filter((text) => !shown.has(text)).slice(0, 3)).toEqual([])
      expect(texts.length).toBeLessThan(count)
      expect(stderr).toMatch(/^rows\.csv: it changed while it was read: run again$/m)
      expect(code).toBe(1)
      writeFileSync(file, list)
      expect(yield* run).toMatchObject({ code: 0 })
      expect(texts).toHaveLength(count)
      expect(new Set(texts)).toEqual(shown)
    }).pipe(Effect.scoped)
)

it.live("a stop list is read once, so that it may come from another program", () =>
  Effect.gen(function* () {
    const { file, journal } = yield* fileOf(csvOf(2))
    const script = `"$0" "$1" run "$2" --journal "$3" --dry-run --exclude <(echo "$4")`
    const out = execFileSync("bash", [
      "-c",
      script,
      process.execPath,
      main,
      file,
      journal,
      numberOf(1)
    ])
    expect(JSON.parse(String(out).split("\n")[0] ?? "")).toMatchObject({ rows: 1, excluded: 1 })
  })
)
