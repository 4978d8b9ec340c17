/** A program in a pseudo terminal, as a person sees it. */
import { spawn, spawnSync } from "node:child_process"
import { execPath } from "node:process"
import { stripVTControlCharacters } from "node:util"

/** Only this `script` takes a command and keeps its exit code. */
export const hasTerminals = spawnSync("sh", ["-c", "script --version"], {
  encoding: "utf8"
}).stdout.includes("util-linux")

export const columns = 80

interface Typed {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** What the person types, each after a text on the screen. */
  readonly replies: ReadonlyArray<{ readonly after: string; readonly type: string }>
}

/** Runs a program of Node. Returns its exit code, and the lines of the screen. */
export const typed = (args: ReadonlyArray<string>, { cwd, env, replies }: Typed) =>
  new Promise<{ readonly code: number | null; readonly lines: ReadonlyArray<string> }>(
    (resolve) => {
      const quoted = [execPath, ...args].map((word) => `'${word}'`).join(" ")
      const child = spawn(
        "script",
        ["-qec", `stty rows 24 cols ${columns}; exec ${quoted}`, "/dev/null"],
        { cwd, env: { PATH: process.env["PATH"], TERM: "xterm", ...env }, stdio: "pipe" }
      )
      const left = [...replies]
      let shown = ""
      let seen = 0
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        shown += text
        const [next] = left
        const at = next === undefined ? -1 : shown.indexOf(next.after, seen)
        if (next === undefined || at === -1) return
        seen = at + next.after.length
        left.shift()
        child.stdin.write(next.type)
      })
      child.once("close", (code) => {
        const lines = stripVTControlCharacters(shown)
          .replaceAll("\r\n", "\n")
          .split(/[\r\n]/)
        resolve({ code, lines })
      })
    }
  )
