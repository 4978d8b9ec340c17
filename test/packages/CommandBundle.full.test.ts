import * as Effect from "effect/Effect"
import { bundleProgram, licensesFile } from "@messaging-topup/command/bundle/ProgramBundle.ts"
import { randomUUID } from "node:crypto"
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { builtinModules } from "node:module"
import { dirname, join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import manifest from "../../packages/cli/package.json" with { type: "json" }
import { bundleLibrary } from "../../packages/core/bundle/Library.ts"
import { commandFile } from "../harness/Bundled.ts"
import { makeJournal } from "../harness/Command.ts"
import { runNode, startNode } from "../harness/Process.ts"
import { hasTerminals, typed } from "../harness/PseudoTerminal.ts"
import { folderOfFile } from "../harness/TemporaryFolder.ts"

const folder = folderOfFile()
const dist = dirname(commandFile)

const always = ["main", "runtime", "commands"]
const sending = ["store", "lists", "undici", "service"]
const ofCommands = ["Init", "Prune", "Report", "Resolve", "Results", "Run", "Sandbox", "Sends"]
const loadedLater = [...ofCommands, ...sending, "mock", "phone", "postgres"]

it("the command is these files, which need no package", () => {
  const names = [...always, ...loadedLater].map((name) => `${name}.cjs`)
  expect(readdirSync(dist).toSorted()).toEqual([licensesFile, ...names].toSorted())
  const known = new Set([
    ...builtinModules.map((name) => `node:${name}`),
    "node:sqlite",
    "stream",
    ...names.map((name) => `./${name}`)
  ])
  const imports = names.flatMap((name) =>
    [
      ...readFileSync(join(dist, name), "utf8").matchAll(/\b(?:require|import)\(["'`](.+?)["'`]\)/g)
    ].map(([, path = ""]) => path)
  )
  expect(imports.filter((path) => !known.has(path))).toEqual([])
  expect(Object.keys(manifest)).not.toContain("dependencies")
  expect(Object.keys(manifest)).not.toContain("peerDependencies")
})

/** Runs the command with only these files of it. */
const only = async (files: ReadonlyArray<string>, args: ReadonlyArray<string>) => {
  const bare = mkdtempSync(join(folder, "bare-"))
  for (const name of files) cpSync(join(dist, `${name}.cjs`), join(bare, `${name}.cjs`))
  const list = join(bare, "list.csv")
  writeFileSync(list, "recipient,message\n+15551230017,Hello\n")
  const journal = join(bare, "journal.sqlite")
  await Effect.runPromise(makeJournal(journal))
  const env = { MESSAGING_TOPUP_JOURNAL: journal, HOME: bare }
  return await runNode([join(bare, "main.cjs"), ...args.map((arg) => arg.replace("LIST", list))], {
    env
  })
}

it.each([
  { args: ["--help"], files: always, says: "Usage: messaging-topup <command>" },
  { args: ["--version"], files: always, says: manifest.version },
  {
    args: ["run", "LIST", "--dry-run"],
    files: [...always, "Run", ...sending],
    says: '"to_send":1'
  },
  { args: ["results", "LIST", "--help"], files: [...always, "Results", ...sending], says: "--out" },
  {
    args: ["run", "LIST", "--sandbox", "--yes"],
    files: [...always, "Run", ...sending, "mock"],
    says: '"sent_now":1'
  },
  { args: ["init", "--help"], files: [...always, "Init", "store"], says: "--accept-failover" },
  { args: ["sends"], files: [...always, "Sends", "store"], says: "" },
  { args: ["sandbox", "--help"], files: [...always, "Sandbox", "mock", "store"], says: "0402" }
])("$args needs only $files", async ({ args, files, says }) => {
  const ended = await only(files, args)
  expect(ended).toMatchObject({ code: 0 })
  expect(ended.stdout).toContain(says)
})

// Docker is not run here: the program is, with the variables of its Dockerfile.
const image = () => {
  const dockerfile = readFileSync("packages/cli/Dockerfile", "utf8")
  const variables = dockerfile.matchAll(/^(?:ENV| {3}) (\w+)=(\S+)/gm)
  return Object.fromEntries([...variables].map(([, name = "", value = ""]) => [name, value]))
}

it("the image serves the sandbox to other containers, and sends nothing without a volume", async () => {
  const env = image()
  await using sandbox = startNode([commandFile, "sandbox", "--port", "0"], { env })
  await sandbox.until(/0\.0\.0\.0 is reachable from other machines/, "stderr")
  const list = join(folder, "list.csv")
  writeFileSync(list, "recipient,message\n+15551230017,Hello\n")
  expect(await runNode([commandFile, "run", list, "--yes"], { env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("nothing is mounted at /state")
  })
})

it("in the image, a person begins the journal of the volume with the line of the page, once, and only at a terminal", async (context) => {
  const volume = "/dev/shm"
  context.skip(!hasTerminals || !existsSync(volume), "needs script of util-linux, and a mount")
  const page = readFileSync("docs/operation.md", "utf8")
  const line = /^docker run --rm -it -v \w+:\/state messaging-topup (.+?)(?: +#.*)?$/m.exec(page)
  const args = [commandFile, ...(line?.[1] ?? "no line").split(" ")]
  const journal = join(volume, `messaging-topup-test-${randomUUID()}.sqlite`)
  onTestFinished(() => rmSync(journal, { force: true }))
  const env = { ...image(), MESSAGING_TOPUP_JOURNAL: journal }
  const sends = () => runNode([commandFile, "sends"], { env })
  const init = () => typed(args, { cwd: folder, env, replies: [{ after: "[y/N] ", type: "y\n" }] })

  expect(await sends()).toMatchObject({ code: 1, stderr: expect.stringContaining("none yet") })
  const script = await runNode(args, { env })
  expect(script).toMatchObject({ code: 2, stderr: expect.stringContaining("no terminal") })
  expect(existsSync(journal)).toBe(false)
  expect(await init()).toMatchObject({ code: 0 })
  expect(await sends()).toMatchObject({ code: 0 })
  expect((await init()).code).toBe(1)
})

const main = "packages/command/src/Start.ts"

it.each<[what: string, build: (outdir: string) => Promise<unknown>, says: string]>([
  [
    "one of several in a file of the bundle",
    (outdir) =>
      bundleProgram(main, {
        outdir,
        files: { start: ["command/src/Start.ts", "core/src/Gone.ts"] }
      }),
    "The file start of the bundle: no module is at core/src/Gone.ts"
  ],
  [
    "a folder in a file of the bundle",
    (outdir) => bundleProgram(main, { outdir, files: { start: ["command/src/gone/"] } }),
    "The file start of the bundle: no module is at command/src/gone/"
  ],
  [
    "what stands for a module that nothing imports",
    (outdir) =>
      bundleProgram(main, { outdir, files: {}, alias: { gone: join(folder, "Instead.ts") } }),
    "An alias of the bundle: no module is at"
  ],
  [
    "what stays outside of a library",
    (outdir) =>
      bundleLibrary(
        { folder: outdir, outside: { "core/src/Gone.ts": "./Gone.js" } },
        { input: main, output: { dir: outdir } }
      ),
    "Outside the bundle: no module is at core/src/Gone.ts"
  ]
])("a path at which no module is fails the build: %s", async (_, build, says) => {
  const outdir = mkdtempSync(join(folder, "wrong-"))
  await expect(build(outdir)).rejects.toThrow(says)
  expect(existsSync(join(outdir, licensesFile))).toBe(false)
})
