/**
 * A process opens its journal again while a claim waits for somebody who reads the file: a backup, or a viewer. POSIX
 * drops all locks of a process when one of its descriptors of the file is closed, and then another process claims the
 * same key.
 */
import { expect, it } from "@effect/vitest"
import { layerConfig } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import { SendJournal } from "@messaging-topup/journal"
import type { Journal, OpenJournalOptions } from "@messaging-topup/journal/promise"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { linkSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { build } from "rolldown"
import { startCounting } from "../harness/campaign/CountingService.ts"
import { inThread, start, startWith } from "../harness/journal/Programs.ts"
import { noting, rewriting } from "../harness/journal/Statements.ts"
import { withoutTime } from "../harness/journal/StillTime.ts"
import { journalFile } from "../harness/TemporaryFolder.ts"

const sms = { recipient: "+15550101234", message: "order-1" }

const journal = (file: string) => Layer.fresh(Sqlite.layer(file))

/** The modules of `openJournal` once more, as in a program that also loads the published bundle. */
const secondCopy = Effect.acquireRelease(
  Effect.promise(async () => {
    const root = fileURLToPath(new URL("../..", import.meta.url))
    // Where the driver of HTTP is found.
    const folder = join(root, `node_modules/.cache/second-copy-${process.pid}`)
    mkdirSync(folder, { recursive: true })
    await build({
      cwd: root,
      input: join(root, "packages/journal/src/OpenJournal.ts"),
      platform: "node",
      external: ["undici"],
      logLevel: "silent",
      output: { dir: folder, format: "esm" }
    })
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
).pipe(
  Effect.flatMap((folder) =>
    Effect.promise(
      (): Promise<{ readonly openJournal: (options: OpenJournalOptions) => Journal }> =>
        import(/* @vite-ignore */ pathToFileURL(join(folder, "OpenJournal.js")).href)
    )
  )
)

const account = { baseUrl: "http://127.0.0.1:1", allowInsecureHttp: true, token: "token" }

type Again = (
  file: string,
  isBlocked: Effect.Effect<void>
) => Effect.Effect<unknown, unknown, Scope.Scope>

/** Opens the journal again, as far as it comes while the claim waits. How that ends does not matter. */
const ways: Readonly<Record<string, Again>> = {
  "": () => Effect.void,
  " again": (file, isBlocked) =>
    Effect.andThen(Effect.forkScoped(Effect.scoped(Layer.build(journal(file)))), isBlocked),
  " again by the published bundle, beside the modules": (file, isBlocked) =>
    Effect.gen(function* () {
      const { openJournal } = yield* secondCopy
      const again = openJournal({ ...account, journal: file })
      // On a busy machine, it fails before the test ends: it waits ten seconds for the lock.
      const resolved = again.resolve({ campaign: "c" }, "sent").catch(() => undefined)
      yield* Effect.addFinalizer(() => Effect.promise(() => resolved.then(() => again.close())))
      yield* isBlocked
    }),
  " again by two other threads": (file) =>
    Effect.all([inThread("openAndClose.ts", file), inThread("openAndClose.ts", file)], {
      concurrency: 2
    }),
  " again by a name that is refused": (file) =>
    Effect.gen(function* () {
      linkSync(file, `${file}.other`)
      const error = yield* Effect.flip(Effect.scoped(Layer.build(journal(`${file}.other`))))
      expect(error).toMatchObject({ problem: "linked" })
      rmSync(`${file}.other`)
    })
}

it.live.each(Object.entries(ways))(
  "two processes send a key once if one of them opens the journal%s",
  ([, again]) =>
    Effect.gen(function* () {
      const file = yield* journalFile
      const { accepted, env } = yield* startCounting({ millis: 1 })
      const service = Layer.provide(layerConfig, NodeTransport.layer).pipe(
        Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
      )
      const claimWaits = yield* Deferred.make<void>()
      const againWaits = yield* Deferred.make<void>()
      const watching = noting((sql) => {
        if (sql === "commit") Deferred.doneUnsafe(claimWaits, Effect.void)
        if (sql.startsWith("pragma journal_mode")) Deferred.doneUnsafe(againWaits, Effect.void)
      })
      const race = Effect.gen(function* () {
        const { sendOnce } = yield* SendJournal
        const reader = yield* start("hold.ts", file, "begin; select * from send")
        yield* Effect.promise(reader.nextLine)
        const sending = yield* Effect.forkChild(sendOnce("order-1", sms))
        yield* Deferred.await(claimWaits)
        yield* again(file, Deferred.await(againWaits))
        const other = yield* startWith(env, "sendBlocked.ts", file, "order-1")
        yield* Effect.promise(() => other.until(/^blocked/))
        reader.kill("SIGKILL")
        return { other, sent: yield* Fiber.join(sending) }
      })
      const first = yield* Effect.gen(function* () {
        const { sendOnce } = yield* SendJournal
        // The first claim of a journal stores the address. This one is then held up in the claim itself.
        yield* sendOnce("order-0", { ...sms, message: "order-0" })
        return yield* rewriting(watching, race)
      }).pipe(Effect.provide(Layer.merge(journal(file), service)), withoutTime)
      expect(yield* Effect.promise(() => first.other.ended)).toMatchObject({
        stderr: "",
        stdout: expect.stringContaining("sent earlier")
      })
      expect(first.sent).toMatchObject({ isEarlier: false })
      expect(accepted).toEqual(
        new Map([
          ["order-0", 1],
          ["order-1", 1]
        ])
      )
    })
)
