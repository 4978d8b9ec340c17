/** The command, in its own process. */
import { fileURLToPath } from "node:url"
import { expect } from "vitest"
import { startNode } from "../Process.ts"

const main = fileURLToPath(new URL("../../../packages/cli/src/main.ts", import.meta.url))

/** The beginning of its line. */
export const sandbox = [main, "sandbox"]

/** Starts it on a free port. */
export const startCommand = (
  args: ReadonlyArray<string> = [],
  options?: Parameters<typeof startNode>[1]
) => startNode([...sandbox, "--port", "0", ...args], options)

/** Starts it with `--json`, and reads the one line that it prints. */
export const startJson = async (
  args: ReadonlyArray<string> = [],
  options?: Parameters<typeof startNode>[1]
) => {
  const command = startCommand(["--json", ...args], options)
  const line: unknown = JSON.parse(await command.nextLine())
  expect(line).toEqual({ baseUrl: expect.any(String), token: expect.any(String) })
  const { baseUrl, token } = line as { readonly baseUrl: string; readonly token: string }
  return { ...command, baseUrl, token }
}
