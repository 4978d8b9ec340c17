import { expect, it } from "vitest"
import { expected, observe } from "../../scripts/undici.ts"

// Core allows later versions, for their security fixes. If this fails with one, the transport needs a change.
it("undici does what the transport relies on", async () => {
  expect(await observe()).toEqual(expected)
})
