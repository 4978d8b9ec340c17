/**
 * The first import of each entry for Node: it says which Node is needed, before another module fails on an older one in
 * words of its own. Bundles leave it outside, because they load what they leave outside first.
 */
interface Runtime {
  readonly Bun?: unknown
  readonly Deno?: unknown
  readonly process?: { readonly version: string; readonly versions: { readonly node: string } }
}

const { Bun: bun, Deno: deno, process }: Runtime = globalThis

// The others report a Node version that says little of them.
if (bun === undefined && deno === undefined && process !== undefined) {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
  if (major < 22 || (major === 22 && minor < 19)) {
    throw new Error(`messaging-topup needs Node 22.19 or newer, and this is ${process.version}`)
  }
}
