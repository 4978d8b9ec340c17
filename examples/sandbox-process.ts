/** A sandbox in a process of its own, as `npx messaging-topup-sandbox --port 0 --json` starts one. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { spawn } from "node:child_process"
import { execPath } from "node:process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const Started = Schema.fromJsonString(
  Schema.Struct({ baseUrl: Schema.String, token: Schema.String })
)

const main = fileURLToPath(import.meta.resolve("@messaging-topup/sandbox/package.json"))

export const sandboxProcess = Effect.acquireRelease(
  Effect.sync(() =>
    spawn(execPath, [main.replace("package.json", "src/main.ts"), "--port", "0", "--json"], {
      stdio: ["ignore", "pipe", "inherit"]
    })
  ),
  (child) => Effect.sync(() => child.kill())
).pipe(
  Effect.flatMap((child) =>
    Effect.callback<string>((resume) => {
      createInterface(child.stdout).once("line", (line) => resume(Effect.succeed(line)))
    })
  ),
  Effect.flatMap(Schema.decodeEffect(Started))
)
