/**
 * The command inside the test's own process, for the many settings that it ends at.
 *
 * It costs milliseconds where a child costs most of a second. One that serves is stopped at once.
 */
import * as Program from "@messaging-topup/mcp-server/src/Program.ts"
import * as Effect from "effect/Effect"
import { vi } from "vitest"
import type { Ended, Variables } from "./ServerChild.ts"

/** How a process would end. */
export const runCommand = async (
  args: ReadonlyArray<string>,
  environment: Variables = {}
): Promise<Ended> => {
  const written = { stdout: "", stderr: "" }
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      written[name] += String(text)
      return true
    })
  )
  try {
    const code = await Effect.runPromise(Program.run({ args, environment, stop: Effect.void }))
    return { code, signal: null, ...written }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}
