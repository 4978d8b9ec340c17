/**
 * A PostgreSQL server on a free port of loopback, with its data in a temporary folder.
 *
 * It is the one of Debian's package. PostgreSQL does not run as root, so tests that run as root start it
 * as another user.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { afterAll, beforeAll } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chownSync, globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Certificate } from "../Certificate.ts"
import { freePort } from "../Listening.ts"
import { tied } from "../Process.ts"
import { configOf } from "./JournalOf.ts"

const [bin] = globSync("/usr/lib/postgresql/*/bin")
const isRoot = process.getuid?.() === 0

/** The number of a user, or of its group. */
const idOf = (flag: "-u" | "-g", user: string): number | undefined => {
  const { status, stdout } = spawnSync("id", [flag, user], { encoding: "utf8" })
  return status === 0 ? Number(stdout) : undefined
}

const user = ["postgres", "nobody"].find((name) => idOf("-u", name) !== undefined)

const reason = (): string | undefined => {
  if (bin === undefined) return "there is no /usr/lib/postgresql"
  return isRoot && user === undefined ? "there is no user but root to run it" : undefined
}

/** Why PostgreSQL cannot run; undefined if it can. */
export const noPostgres = reason()

const uid = idOf("-u", user ?? "") ?? 0
const gid = idOf("-g", user ?? "") ?? 0
const asUser = isRoot ? { uid, gid } : {}

const command = (program: string): string => join(bin ?? "", program)

/** Settings of every server of the tests. */
const common = ["max_connections=60", "log_min_messages=log", "logging_collector=off"]

const startIn = async (
  folder: string,
  port: number,
  more: ReadonlyArray<string>,
  awaited = "ready to accept connections"
): Promise<ChildProcess> => {
  const settings = [...common, ...more]
  const places = [`-D${join(folder, "data")}`, `-k${folder}`, "-h127.0.0.1", `-p${port}`]
  const args = [...places, ...settings.flatMap((setting) => ["-c", setting])]
  const child = spawn(...tied("QUIT", command("postgres"), args), {
    ...asUser,
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"]
  })
  const lines = createInterface({ input: child.stderr })
  await new Promise<void>((resolve, reject) => {
    let last = ""
    lines.on("line", (line) => {
      last = line
      if (line.includes(awaited)) resolve()
    })
    child.once("exit", () => reject(new Error(`PostgreSQL did not start: ${last}`)))
  })
  return child
}

const end = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, "exit")
  child.kill(signal)
  await exited
}

interface Access {
  /** Who may connect, and how: the lines of `pg_hba.conf`. */
  readonly rules: ReadonlyArray<string>
  /** With it, the server offers TLS. */
  readonly certificate: Certificate
}

const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "journal-pg-"))
  if (isRoot) chownSync(folder, uid, gid)
  return folder
}

const runIn = (folder: string, program: string, ...args: ReadonlyArray<string>) => {
  const options = { ...asUser, cwd: folder, encoding: "utf8" } as const
  const { status, stderr } = spawnSync(program, args, options)
  if (status !== 0) throw new Error(`${program} failed: ${stderr}`)
}

let empty: string | undefined

/** The folder with the data of a new server: a copy of it takes a tenth of the time of `initdb`. */
const emptyServer = (): string => {
  if (empty !== undefined) return empty
  const folder = newFolder()
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  const settings = ["--username=journal", "--auth=trust", "--encoding=UTF8", "--locale=C"]
  runIn(folder, command("initdb"), ...settings, "--no-sync", `-D${join(folder, "data")}`)
  empty = folder
  return folder
}

/** Without `access`, all users may connect without a password, and there is no TLS. */
export const startPostgres = async (access?: Access, more: ReadonlyArray<string> = []) => {
  const folder = newFolder()
  runIn(folder, "cp", "-r", join(emptyServer(), "data"), folder)
  const port = await Effect.runPromise(freePort)
  const write = (name: string, content: string) => {
    const path = join(folder, "data", name)
    writeFileSync(path, content, { mode: 0o600 })
    if (isRoot) chownSync(path, uid, gid)
  }
  if (access !== undefined) {
    write("pg_hba.conf", access.rules.join("\n"))
    write("server.crt", access.certificate.cert)
    write("server.key", access.certificate.key)
  }
  const settings = access === undefined ? more : ["ssl=on", ...more]
  let child = await startIn(folder, port, settings)
  return {
    port,
    /** The client's settings. */
    config: configOf(port),
    /** Ends the server at once, as a crash does, then starts it again. */
    crash: async () => {
      // SIGQUIT is an immediate shutdown: the server's processes end without cleaning up.
      await end(child, "SIGQUIT")
      child = await startIn(folder, port, settings)
    },
    /** Stops all its processes, as a machine that hangs does. Returns what lets them go on. */
    freeze: () => {
      const { pid } = child
      const { stdout } = spawnSync("pgrep", ["-P", String(pid)], { encoding: "utf8" })
      const processes = [Number(pid), ...stdout.trim().split("\n").map(Number)]
      for (const each of processes) process.kill(each, "SIGSTOP")
      return () => {
        for (const each of processes) process.kill(each, "SIGCONT")
      }
    },
    /** Ends the server, and lets a standby with the same data take over, after a look at it. */
    failOver: async <A>(look: () => Promise<A>) => {
      await end(child, "SIGINT")
      writeFileSync(join(folder, "data", "standby.signal"), "")
      child = await startIn(folder, port, settings, "ready to accept read-only connections")
      const found = await look()
      runIn(folder, command("pg_ctl"), "promote", "-w", `-D${join(folder, "data")}`)
      return found
    },
    /** Dumps the journal, as the page of operation says. Returns what puts the dump in the journal's place. */
    dump: () => {
      const places = ["-h127.0.0.1", `-p${port}`, "-Ujournal", "-dpostgres"]
      const schema = "messaging_topup_journal"
      const input = execFileSync(command("pg_dump"), [...places, `--schema=${schema}`])
      const drop = `drop schema ${schema} cascade`
      return () => execFileSync(command("psql"), [...places, "-qc", drop, "-f-"], { input })
    },
    stop: async () => {
      await end(child, "SIGQUIT")
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** Tests end the server, but not the machine: what it wrote is there, without a wait for the disk. */
export const startPostgresOfTests = (access?: Access) =>
  startPostgres(access, ["fsync=off", "full_page_writes=off"])

export type PostgresServer = Awaited<ReturnType<typeof startPostgres>>

/** Removes the schema, so that the next journal creates it. */
export const dropSchema = Effect.flatMap(PgClient.PgClient, (sql) =>
  Effect.orDie(sql.unsafe("drop schema if exists messaging_topup_journal cascade").withoutTransform)
)

export const urlOf = (port: number) => `postgres://journal@127.0.0.1:${port}/postgres`

/** Starts a server for the tests of a file. Returns how a test uses it: without PostgreSQL it is skipped. */
export const postgres = () => {
  let server: PostgresServer | undefined
  beforeAll(async () => {
    if (noPostgres === undefined) server = await startPostgresOfTests()
  })
  afterAll(() => server?.stop())
  return <A>(test: (server: PostgresServer) => A) =>
    (context: { readonly skip: (why?: string) => never }) =>
      server === undefined ? context.skip(noPostgres) : test(server)
}
