import { expect, it } from "vitest"
import { anyRoute, guarded } from "../harness/mcp/GuardedServer.ts"

it.each([
  ["Your table is ready.", "Each SMS of this text takes 1 segment in GSM-7."],
  [
    `Ann’s table${" is ready".repeat(10)} 🎉`,
    "Each SMS of this text takes 2 segments in UCS-2. Without the characters that force UCS-2, it takes 1."
  ],
  // Two SMS of 67 units, and one of 160 letters.
  [
    `${"x".repeat(158)}🎉`,
    "Each SMS of this text takes 3 segments in UCS-2. It is not sent: this server allows 2. Without the characters that force UCS-2, it takes 1."
  ],
  ["Ann’s table 🎉", "Each SMS of this text takes 1 segment in UCS-2."]
])("preview_sms counts the segments of %j", async (message, expected) => {
  await using server = await guarded(anyRoute, ["--max-segments=2"])
  const { text } = await server.call("preview_sms", { message })
  expect(text).toBe(expected)
  expect(await server.upstream.requests()).toEqual([])
})
