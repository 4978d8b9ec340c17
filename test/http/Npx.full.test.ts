import { expect, it } from "vitest"
import { start } from "../harness/Process.ts"
import { serverFile } from "../harness/Bundled.ts"

it("a server over HTTP ends when npx ends, which ends only the shell between them", async () => {
  const command = [process.execPath, serverFile, "--sandbox", "--http", "--port", "0"]
  await using shell = start("sh", ["-c", '"$@" & wait', "sh", ...command], {
    env: { npm_command: "exec", MESSAGING_TOPUP_JOURNAL: "memory" }
  })
  await shell.until(/"event":"listening"/, "stderr")
  shell.kill("SIGTERM")
  // The server has the other end of its pipes.
  expect(await shell.ended).toMatchObject({ signal: "SIGTERM" })
})
