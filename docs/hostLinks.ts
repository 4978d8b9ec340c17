/**
 * The links of docs/hosts.md that install the server with one click. They start it on its sandbox: so a
 * link contains no token, and the server works immediately.
 */
const name = "messaging-topup"

const entry = { command: "npx", args: ["-y", "@messaging-topup/mcp-server", "--sandbox"] }

const base64 = encodeURIComponent(Buffer.from(JSON.stringify(entry)).toString("base64"))

const json = encodeURIComponent(JSON.stringify({ name, ...entry }))

const fenced = (...links: ReadonlyArray<string>): string =>
  `\`\`\`text\n${links.join("\n")}\n\`\`\`\n`

export const vsCodeLinks = (): string =>
  fenced(`vscode:mcp/install?${json}`, `vscode-insiders:mcp/install?${json}`)

export const cursorLink = (): string =>
  fenced(`cursor://anysphere.cursor-deeplink/mcp/install?name=${name}&config=${base64}`)

export const lmStudioLink = (): string => fenced(`lmstudio://add_mcp?name=${name}&config=${base64}`)
