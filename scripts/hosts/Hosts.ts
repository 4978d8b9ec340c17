/**
 * The hosts that install from the npm registry: how each is started without a person, and what it then does.
 */
export interface Start {
  readonly args: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
}

export interface Host {
  /** As in the table of `docs/hosts.md`. */
  readonly name: string
  /** The mode, if a host has several rows. */
  readonly mode?: string
  readonly package: string
  readonly bin: string
  /** The section of `docs/hosts.md` that has its block. */
  readonly section: string
  /** What else is in its file: settings that have no variable and no argument. */
  readonly settings?: Readonly<Record<string, unknown>>
  /** Starts it with a prompt, on the model at this address. `permitted` is whether it permits the two tools. */
  readonly start: (model: string, permitted: boolean) => Start
  /** Whether the model sees the tools without this permission. */
  readonly offersUnpermitted: boolean
  /** The code or outcome that the model reads of an SMS that the host permits, with the document's block, and with `--confirm require`. */
  readonly auto: "confirmation_unasked" | "sent"
  readonly require: "confirmation_unasked" | "confirmation_unavailable"
  /** What it prints while folder and server are not trusted, and the server cannot start. */
  readonly failing: ReadonlyArray<Start & { readonly prints: RegExp }>
}

const prompt = "Send the SMS."

/** Both tools, which have this prefix in the host. */
const both = (prefix: string) => `${prefix}preview_sms,${prefix}send_sms`

const codexWith =
  (permission: ReadonlyArray<string>): Host["start"] =>
  (model, permitted) => {
    const provider = `{ name = "Scripted", base_url = "${model}/v1", wire_api = "responses" }`
    const settings = [
      "analytics.enabled=false",
      "check_for_update_on_startup=false",
      "model=scripted",
      "model_provider=scripted",
      `model_providers.scripted=${provider}`
    ]
    const options = settings.flatMap((setting) => ["-c", setting])
    const more = permitted ? permission : []
    return { args: ["exec", "--skip-git-repo-check", ...options, ...more, prompt] }
  }

const codex: Host = {
  name: "Codex",
  package: "@openai/codex",
  bin: "codex",
  section: "Codex",
  start: codexWith(["-c", 'mcp_servers.messaging-topup.tools.send_sms.approval_mode="approve"']),
  offersUnpermitted: true,
  auto: "confirmation_unasked",
  require: "confirmation_unasked",
  failing: [
    { args: ["mcp", "list"], prints: /messaging-topup.*enabled/ },
    { ...codexWith([])("http://127.0.0.1:9", false), prints: /required MCP servers failed/ }
  ]
}

const codexFullAccess: Host = {
  ...codex,
  mode: "full access",
  start: codexWith(["--dangerously-bypass-approvals-and-sandbox"]),
  auto: "sent",
  require: "confirmation_unavailable"
}

const claudeCode: Host = {
  name: "Claude Code",
  package: "@anthropic-ai/claude-code",
  bin: "claude",
  section: "The block",
  start: (model, permitted) => ({
    args: ["-p", prompt, ...(permitted ? ["--allowedTools", both("mcp__messaging-topup__")] : [])],
    env: {
      ANTHROPIC_API_KEY: "none",
      ANTHROPIC_BASE_URL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      // Otherwise the model has to search for our tools first.
      ENABLE_TOOL_SEARCH: "false",
      // Otherwise it begins without a server that takes longer than a second.
      MCP_CONNECTION_NONBLOCKING: "0",
      MCP_CONNECT_TIMEOUT_MS: "60000"
    }
  }),
  offersUnpermitted: true,
  auto: "confirmation_unasked",
  require: "confirmation_unasked",
  failing: [{ args: ["mcp", "list"], prints: /messaging-topup.*Pending approval/ }]
}

const geminiCli: Host = {
  name: "Gemini CLI",
  package: "@google/gemini-cli",
  bin: "gemini",
  section: "The block",
  settings: {
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
    privacy: { usageStatisticsEnabled: false },
    security: { auth: { selectedType: "gemini-api-key" } }
  },
  start: (model, permitted) => ({
    args: (permitted ? ["--allowed-tools", both("mcp_messaging-topup_")] : []).concat(
      ["--skip-trust", "--model", "gemini-2.5-flash"],
      ["-p", prompt]
    ),
    env: { GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: model }
  }),
  offersUnpermitted: false,
  auto: "sent",
  require: "confirmation_unavailable",
  failing: [
    {
      args: ["-p", prompt],
      env: { GEMINI_API_KEY: "none" },
      prints: /not running in a trusted directory/
    }
  ]
}

const qwenCode: Host = {
  name: "Qwen Code",
  package: "@qwen-code/qwen-code",
  bin: "qwen",
  section: "The block",
  settings: {
    general: { enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
    security: { auth: { selectedType: "openai" } },
    // Otherwise the model has to search for our tools first.
    tools: { toolSearch: { enabled: false } }
  },
  start: (model, permitted) => ({
    args: ["-p", prompt, ...(permitted ? ["--allowed-tools", both("mcp__messaging-topup__")] : [])],
    env: { OPENAI_API_KEY: "none", OPENAI_BASE_URL: `${model}/v1`, OPENAI_MODEL: "scripted" }
  }),
  offersUnpermitted: true,
  auto: "sent",
  require: "confirmation_unavailable",
  failing: []
}

const openCode: Host = {
  name: "OpenCode",
  package: "opencode-ai",
  bin: "opencode",
  section: "OpenCode",
  start: (model, permitted) => {
    const provider = {
      npm: "@ai-sdk/openai-compatible",
      options: { apiKey: "none", baseURL: `${model}/v1` },
      models: { scripted: { tool_call: true, limit: { context: 100_000, output: 1000 } } }
    }
    const config = {
      autoupdate: false,
      share: "disabled",
      small_model: "scripted/scripted",
      provider: { scripted: provider },
      ...(permitted ? { permission: { "messaging-topup_send_sms": "allow" } } : {})
    }
    return {
      args: ["run", "--model", "scripted/scripted", prompt],
      env: {
        OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
        OPENCODE_DISABLE_MODELS_FETCH: "true"
      }
    }
  },
  offersUnpermitted: true,
  auto: "sent",
  require: "confirmation_unavailable",
  failing: []
}

export const hosts = [claudeCode, codex, codexFullAccess, geminiCli, qwenCode, openCode]
