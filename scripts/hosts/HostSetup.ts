/**
 * A host with a home and a project of its own, in which the packed server is installed, and with a service of its
 * own: a sandbox, whose requests show what was sent.
 */
import { startSandbox } from "@messaging-topup/sandbox/promise"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { documentedConfig } from "./DocumentedConfig.ts"
import { path, runHost } from "./HostProcess.ts"
import type { Host, Start } from "./Hosts.ts"
import type { ScriptedModel, ToolCall } from "./ScriptedModel.ts"

interface Folders {
  /** Where the host is installed. */
  readonly installed: string
  readonly home: string
  /** Where the server is installed. */
  readonly project: string
}

interface Conversation {
  readonly calls: ReadonlyArray<ToolCall>
  /** Arguments for the server. */
  readonly args?: ReadonlyArray<string>
  readonly permitted: boolean
}

interface Outcome {
  /** Whether the model was offered `send_sms`. */
  readonly offered: boolean
  /** What the model read, without the quotes, backslashes and line breaks of JSON in JSON. */
  readonly results: ReadonlyArray<string>
  /** The recipients of all SMS that the service was asked to send, oldest first. */
  readonly posts: ReadonlyArray<string>
  /** What the host printed. */
  readonly output: string
}

export interface HostSetup extends AsyncDisposable {
  readonly converse: (conversation: Conversation) => Promise<Outcome>
  /** Returns what the host prints with a server that cannot start. */
  readonly fail: (start: Start) => Promise<string>
}

const recipientIn = (body: string): string =>
  String((JSON.parse(body) as { readonly recipient?: unknown }).recipient)

export const setUp = async (
  host: Host,
  model: ScriptedModel,
  { home, installed, project }: Folders
): Promise<HostSetup> => {
  const { baseUrl, requests, reset, token, ...sandbox } = await startSandbox()

  const configure = (args: ReadonlyArray<string>): void => {
    const place = { home, project, baseUrl, token, args }
    const { file, text } = documentedConfig(host.name, host.section, place)
    mkdirSync(dirname(file), { recursive: true })
    const { settings } = host
    writeFileSync(
      file,
      settings === undefined ? text : JSON.stringify({ ...JSON.parse(text), ...settings })
    )
  }

  const run = ({ args, env }: Start): Promise<string> =>
    runHost({
      command: join(installed, "node_modules/.bin", host.bin),
      args,
      cwd: project,
      env: {
        HOME: home,
        MESSAGING_TOPUP_TOKEN: token,
        NO_COLOR: "1",
        PATH: path,
        ...env
      }
    })

  return {
    converse: async ({ args = [], calls, permitted }) => {
      configure(args)
      await reset()
      model.play(calls)
      const output = await run(host.start(model.url, permitted))
      const { results, tools } = model.received()
      const sends = (await requests()).filter(({ method }) => method === "POST")
      return {
        offered: tools.some((tool) => tool.endsWith("send_sms")),
        results: results.map((result) => result.replaceAll(/\\+n/g, " ").replaceAll(/[\\"]/g, "")),
        posts: sends.map(({ body }) => recipientIn(body)).toReversed(),
        output
      }
    },
    fail: (start) => {
      configure(["--no-such-option"])
      return run(start)
    },
    [Symbol.asyncDispose]: () => sandbox.close()
  }
}
