import { expect, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { requirements } from "../harness/requirements.ts"

it("every statement of the service description that we implement has a test", () => {
  const sources = globSync("test/**/*.test.ts").map((file) => readFileSync(file, "utf8"))
  const named = new Set(
    sources.flatMap((source) =>
      [...source.matchAll(/requirement\("([^"]+)"\)/g)].flatMap(([, id]) => id ?? [])
    )
  )
  expect([...named].toSorted()).toEqual(Object.keys(requirements).toSorted())
})
