/**
 * Stubs of the programs that the documents run, in a folder that tests put first into `PATH`. With
 * them, `npx` and `cmd /c npx` start the server under test.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { execPath } from "node:process"
import { fileURLToPath } from "node:url"
import { serverFile } from "../../support/ServerFile.ts"

export const packageName = "@messaging-topup/mcp-server"

const inspectorName = "@modelcontextprotocol/inspector"

const inspector = fileURLToPath(
  new URL(
    "../../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
    import.meta.url
  )
)

/** Exits with 64 for an unknown package, and without `-y`. */
const npx = `#!/bin/sh
[ "$1" = -y ] || exit 64
name=$2
shift 2
case $name in
${packageName}) exec "${execPath}" "${serverFile}" "$@" ;;
${inspectorName}) exec "${execPath}" "${inspector}" "$@" ;;
esac
exit 64
`

const cmd = `#!/bin/sh
[ "$1" = /c ] || exit 64
shift
exec "$@"
`

/** Appends how it was called to the file `calls`, as a line of JSON. */
const record = `
const { appendFileSync } = require("node:fs")
const { basename, dirname, join } = require("node:path")
const [, , program, ...args] = process.argv
const call = JSON.stringify({ program: basename(program), args, env: process.env })
appendFileSync(join(dirname(program), "calls"), call + "\\n")
`

const recorder = `#!/bin/sh
exec "${execPath}" "\${0%/*}/record.cjs" "$0" "$@"
`

export interface Call {
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
}

export interface StubPrograms extends Disposable {
  readonly folder: string
  /** A `PATH` with the folder first. */
  readonly path: string
  /** The calls of the recording stubs, in order. */
  readonly calls: () => ReadonlyArray<Call>
}

const inFolder = (programs: Readonly<Record<string, string>>): StubPrograms => {
  const folder = mkdtempSync(join(tmpdir(), "stub-programs-"))
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(folder, name), text)
    chmodSync(join(folder, name), 0o755)
  }
  return {
    folder,
    path: [folder, process.env["PATH"] ?? ""].join(delimiter),
    calls: () =>
      readFileSync(join(folder, "calls"), "utf8")
        .trim()
        .split("\n")
        .map((line): Call => JSON.parse(line)),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true })
  }
}

/** Stubs that run the server under test, or the Inspector. */
export const runningStubs = (): StubPrograms => inFolder({ npx, cmd })

/** Stubs that only record how they are called. */
export const recordingStubs = (): StubPrograms =>
  inFolder({ npx: recorder, claude: recorder, "record.cjs": record })
