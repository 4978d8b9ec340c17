/**
 * Leaves out of our bundle what the MCP SDK makes at its start and this server never uses, most of 169
 * schemas: a start takes a tenth less, and 4 MiB less.
 *
 * The behaviour stays the same. If a new version of the SDK has other code, Bundle.full.test.ts fails: then
 * look whether the change is still needed.
 */
import { type Plugin, RolldownMagicString } from "rolldown"
import { parseAst } from "rolldown/parseAst"

/** They fill a table of all types of the protocol, for programs that check values themselves. */
const typeTable = /^for \(const .+\) register\(key, .+\);$/gm

/** Lets the bundler leave out a schema that nothing uses: it cannot know that making one changes nothing. */
const markedPure = (code: string): string => {
  const marked = new RolldownMagicString(code)
  for (const statement of parseAst(code).body) {
    if (statement.type !== "VariableDeclaration") continue
    const init = statement.declarations[0]?.init
    if (init?.type !== "CallExpression") continue
    marked.appendRight(init.start, "/* @__PURE__ */ (() => ").appendLeft(init.end, ")()")
  }
  return marked.toString()
}

export const sdkChanges: Plugin = {
  name: "sdk-changes",
  transform: (code, id) => {
    if (id.includes("@modelcontextprotocol/server/dist/src-")) return code.replaceAll(typeTable, "")
    return /@modelcontextprotocol\/core\/dist\/(schemas|auth)-/.test(id) ? markedPure(code) : null
  }
}
