/**
 * The scenarios that our server does not pass, each with the reason.
 */
import type { revisions } from "./Suite.ts"

interface Exception {
  readonly why: string
  /** The checks that fail. Absent if the whole scenario does not apply. */
  readonly checks?: ReadonlyArray<string>
}

/** By revision, then by scenario. */
type Exceptions = Readonly<Record<(typeof revisions)[number], Readonly<Record<string, Exception>>>>

const because = (why: string, ...scenarios: ReadonlyArray<string>) =>
  Object.fromEntries(scenarios.map((scenario) => [scenario, { why }]))

const tasks = because(
  "Tasks are an extension that our server does not offer: a call takes only as long as one HTTP request.",
  "tasks-capability-negotiation",
  "tasks-dispatch-and-envelope",
  "tasks-lifecycle",
  "tasks-mrtr-composition",
  "tasks-mrtr-input",
  "tasks-request-headers",
  "tasks-request-state-removal",
  "tasks-required-task-error",
  "tasks-status-notifications",
  "tasks-wire-fields"
)

const noFixtures = because(
  "It needs a tool, a prompt or a resource of the suite, and our server has only its own.",
  "completion-complete",
  "json-schema-2020-12",
  "prompts-get-embedded-resource",
  "prompts-get-simple",
  "prompts-get-with-args",
  "prompts-get-with-image",
  "resources-read-binary",
  "resources-read-text",
  "resources-templates-read",
  "tools-call-audio",
  "tools-call-embedded-resource",
  "tools-call-error",
  "tools-call-image",
  "tools-call-mixed-content",
  "tools-call-simple-text",
  "tools-call-with-progress"
)

const toolsOnly = because(
  "Our server has only tools, and its capabilities say so.",
  "prompts-list",
  "resources-list"
)

const noPages = {
  "dns-rebinding-protection": {
    why: "No web page may call our server, not even one of this machine; what else the scenario checks passes.",
    checks: ["localhost-host-valid-accepted"]
  }
}

const noQuestions = because(
  "It calls a tool or a prompt of the suite that asks a person. Tests with real clients check the questions of our own tools.",
  "input-required-result-basic-elicitation",
  "input-required-result-basic-list-roots",
  "input-required-result-basic-sampling",
  "input-required-result-capability-check",
  "input-required-result-ignore-extra-params",
  "input-required-result-missing-input-response",
  "input-required-result-multi-round",
  "input-required-result-multiple-input-requests",
  "input-required-result-non-tool-request",
  "input-required-result-request-state",
  "input-required-result-result-type",
  "input-required-result-tampered-state"
)

const legacy = {
  ...noFixtures,
  ...noPages,
  ...toolsOnly,
  "server-sse-polling": {
    why: "To resume a stream, the server would have to store its responses, with texts and numbers. The suite does not score this scenario.",
    checks: ["server-sse-priming-event", "server-sse-retry-field"]
  },
  ...because(
    "It calls a tool of the suite that asks a person. Tests with real clients check the questions of our own tools.",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
    "tools-call-elicitation",
    "tools-call-sampling"
  ),
  ...because(
    "Our server logs to stderr. Logging over MCP is deprecated, and not one of its capabilities.",
    "logging-set-level",
    "tools-call-with-logging"
  ),
  ...because(
    "Our server does not report changes of resources, and its capabilities say so.",
    "resources-subscribe",
    "resources-unsubscribe"
  )
}

export const exceptions: Exceptions = {
  "2026-07-28": {
    ...tasks,
    ...noFixtures,
    ...noPages,
    ...noQuestions,
    ...toolsOnly,
    ...because(
      "Our server has no resources, and its capabilities say so.",
      "sep-2164-resource-not-found"
    ),
    caching: {
      why: "Our server has only tools; the check of their list passes.",
      checks: [
        "sep-2549-prompts-list-caching-hints",
        "sep-2549-resources-list-caching-hints",
        "sep-2549-resources-templates-list-caching-hints"
      ]
    },
    ...because(
      "No argument of our tools is also a header.",
      "http-custom-header-server-validation"
    ),
    "server-stateless": {
      why: "These checks call tools of the suite; the others of the scenario pass.",
      checks: [
        "sep-2575-http-server-no-independent-requests-on-stream",
        "sep-2575-missing-capability-http-400",
        "sep-2575-server-no-log-without-loglevel",
        "sep-2575-server-rejects-undeclared-capability"
      ]
    }
  },
  "2025-11-25": legacy
}
