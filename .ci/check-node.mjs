/**
 * Says in one line what a script of this workspace needs, on a Node that is too old to run it. On
 * Linux, x64 and arm64, the workspace brings its own.
 */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`This needs Node 22.19 or newer, and this is ${process.version}.`)
  process.exit(1)
}
