import { withLazySchemas } from "@messaging-topup/mcp-server/bundle/LazySchemas.ts"
import { changed } from "@messaging-topup/mcp-server/bundle/SdkChanges.ts"
import { runInNewContext } from "node:vm"
import { expect, it } from "vitest"

it("the bundle is not built if the MCP SDK or zod no longer has the code that it changes", () => {
  const files = [
    "@modelcontextprotocol/server/dist/src-x.mjs",
    "@modelcontextprotocol/server/dist/mcp-x.mjs",
    "zod/v4/core/schemas.js"
  ]
  for (const file of files) {
    expect(() => changed(`/node_modules/${file}`, "export {}")).toThrow("is not there once")
  }
  expect(() => withLazySchemas("function build() { return { Other: 1 } }")).toThrow(
    "has no function"
  )
  expect(changed("/node_modules/other/index.mjs", "export {}")).toBeUndefined()
})

it("schemas that are made lazily are made once, when they are first read, and refer to each other", () => {
  const code = withLazySchemas(`
    const made = []
    const schema = (name, of) => (made.push(name), { of })
    function build() {
      const Inner = schema("inner")
      const Outer = schema("outer", { Inner: Inner })
      const Unused = schema("unused")
      return { Inner: Inner, Outer: Outer, Unused: Unused, CallToolResultWireSchema: schema("wire", Inner) }
    }
    function read() {
      const s = build()
      const methods = { "outer/get": s.Outer, unused: s.Unused }
      const outer = methods["outer/get"]
      return [outer === s.Outer, outer.of.Inner === s.Inner, s.CallToolResultWireSchema.of === s.Inner, made]
    }
  `)
  const read: unknown = runInNewContext(`${code}; read()`)
  expect(read).toEqual([true, true, true, ["inner", "outer", "wire"]])
})
