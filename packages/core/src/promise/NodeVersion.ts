/**
 * Says which Node is needed. `Node.ts` imports this module first, because undici cannot be imported on Node
 * 20, and its error does not say why. It imports nothing, so the bundle can do the same.
 */
const { node } = process.versions
const [major = 0] = node.split(".").map(Number)

// Deno reports a version of Node that is not its own.
if (major < 22 && !("Deno" in globalThis)) {
  throw new Error(`@messaging-topup/core needs Node 22.19 or newer, and this is Node ${node}`)
}
