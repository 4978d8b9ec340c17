/**
 * Prints one line and fails if Node is too old for the scripts of this workspace. On Linux (x64 and arm64),
 * the workspace installs its own Node.
 */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`This needs Node 22.19 or newer, and this is ${process.version}.`)
  process.exit(1)
}
