/**
 * Programs in a folder of its own, for the `PATH` of what a document says to run: `npx` starts the
 * server of the tests, and so does `cmd /c npx`.
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

/** Ends with 64 for a package that it does not know, as it does without `-y`. */
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

/** Writes down how it was called, as a line of JSON. */
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

export interface StandIns extends Disposable {
  readonly folder: string
  /** With the folder first. */
  readonly path: string
  readonly calls: () => ReadonlyArray<Call>
}

const inFolder = (programs: Readonly<Record<string, string>>): StandIns => {
  const folder = mkdtempSync(join(tmpdir(), "stand-ins-"))
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

/** They run what they stand for. */
export const runningStandIns = (): StandIns => inFolder({ npx, cmd })

/** They only write down how they are called. */
export const recordingStandIns = (): StandIns =>
  inFolder({ npx: recorder, claude: recorder, "record.cjs": record })
