/**
 * The texts of the document: what each table shows, and the titles of its columns. After a change here,
 * `bench size` writes the document again, in seconds.
 */
import type { SectionName } from "./results.ts"

export interface Column {
  /** The name of a label or of a value. */
  readonly of: string
  /** The unit is appended. Empty if the unit alone is enough. */
  readonly title: string
}

export interface SectionText {
  readonly name: SectionName
  readonly title: string
  readonly text: string
  readonly columns: ReadonlyArray<Column>
  /** The label that names the subject of a target in the summary. Absent if a target is for the whole table. */
  readonly subject?: string
  /** The name of an image, and its alternative text. */
  readonly plot?: readonly [name: string, alternative: string]
}

const column = (of: string, title = of): Column => ({ of, title })

export const sectionTexts: ReadonlyArray<SectionText> = [
  {
    name: "wire",
    title: "A send that fails",
    text: `The table shows how many POSTs a server counts for one call that sends. Each client has its own defaults and a
time-out of 300 ms. \`outcome\` is what \`sendOutcome\` returns for core. The other clients do not report an outcome. For the
refused connection there is no server, so no POST can be counted. stripe sends an idempotency key with its POSTs, so its service
recognises a resent POST. The Messaging and Top-up Service has no idempotency key.`,
    plot: ["posts", "POSTs for one send that fails, by fault and client"],
    columns: [
      column("fault"),
      ...["core on `/node`", "core `/promise`", "core on `/fetch`"].map((name) => column(name)),
      ...["`fetch` + zod", "axios", "stripe", "telnyx", "twilio"].map((name) => column(name)),
      column("core, maximum", "core, maximum POSTs"),
      column("outcome")
    ]
  },
  {
    name: "call",
    title: "A call",
    text: `The table shows the time of one call on loopback, including the decoding of the response, with one call at a time
and with 50 at once. Each client runs in its own process. The server runs in another one and writes fixed responses, so the time
is that of the client. Wall time is the duration of a call. CPU time is the processor time of the client's process per call.
The last column is the wall time of core on \`/node\` relative to that of the client in the row. Core runs with Effect's default
tracer. In addition to the HTTP request, core makes spans and metrics, limits the size of the body, decodes the response, and
runs as an Effect. This takes about 25 µs, and is the reason if a target relative to \`undici.request\` is not met.`,
    plot: ["call", "Time of a call, compared with other clients"],
    subject: "client",
    columns: [
      column("operation"),
      column("atOnce", "at once"),
      column("client"),
      column("wall", "wall time"),
      column("processor", "CPU time"),
      column("toFetch", "wall time relative to `fetch`"),
      column("processorToFetch", "CPU time relative to `fetch`"),
      column("toUndici", "wall time relative to `undici`"),
      column("coreToIt", "`/node` relative to it")
    ]
  },
  {
    name: "campaign",
    title: "A campaign",
    text: `The benchmark sends 500 SMS to a server, 50 at once, or 20 at once if a response takes 20 ms. Otherwise the server
responds immediately. "No journal" is the client alone. The other senders send one slice of a campaign, from \`begin\` to \`end\`.
Each claim is on the disk before its request starts. Databases, workers and server share the processors of this machine.`,
    subject: "sender",
    columns: [
      column("sender"),
      column("rate", ""),
      column("processor", "CPU time per row"),
      column("ratio", "rate relative to the reference"),
      column("reference")
    ]
  },
  {
    name: "decode",
    title: "Decoding a long response",
    text: `The response is one of \`listDataBundles\` with 10,000 bundles (1 MB). The table shows the time of \`JSON.parse\`, and of
\`JSON.parse\` followed by a check of every field. Each library is used as its documentation recommends for speed. ajv and
typebox compile a function, zod does so internally, and valibot does not compile. On Node, core compiles only this schema, and only
if code generation is allowed. Otherwise, Effect's interpreter decodes it. ajv and typebox check the value of \`JSON.parse\` and
return the same value. zod, valibot and core make a new value. The last column is the time of compiled core relative to that of the
library in the row.`,
    subject: "library",
    columns: [
      column("library"),
      column("parse", "`JSON.parse` alone"),
      column("decode", "with the check"),
      column("ratio", "ratio"),
      column("coreToIt", "core relative to it")
    ]
  },
  {
    name: "decodeSmall",
    title: "Decoding a small response",
    text: `This is the same comparison for the status of one SMS (0.2 kB). Core does not compile the schema of this response.`,
    subject: "library",
    columns: [
      column("library"),
      column("parse", "`JSON.parse` alone"),
      column("decode", "with the check"),
      column("ratio", "ratio"),
      column("coreToIt", "core relative to it")
    ]
  },
  {
    name: "many",
    title: "Growth: calls at once",
    text: `A fresh process starts all calls of \`sendSms\` on \`/node\` at once. The table shows the time per call, the memory that each call adds to the peak of the process, and the number of open connections. A single call waits for its response. A hundred calls wait at the same
time, so the time per call is lower. Of 10,000 calls, most wait for a connection. Waiting calls use memory, which is freed when
they end. The targets compare with 1,000 calls.`,
    plot: ["growth", "Time and memory per call, per bundle and per row, by their number"],
    columns: [
      column("calls", "at once"),
      column("time", "time per call"),
      column("memory", "memory per call"),
      column("connections", ""),
      column("timeGrowth", "time per call, relative to 1,000 calls"),
      column("memoryGrowth", "memory per call, relative to 1,000 calls")
    ]
  },
  {
    name: "growthBundles",
    title: "Growth: bundles of a response",
    text: `One response of \`listDataBundles\` is parsed and decoded with the compiled schema. The table shows the time per bundle,
the time of \`JSON.parse\` alone, and the heap that the decoded response occupies. A million bundles are 100 MB of JSON. The
targets compare with 10,000 bundles. All bundles are in memory at once, and the time of \`JSON.parse\` alone grows, too.`,
    columns: [
      column("bundles"),
      column("time", "time per bundle"),
      column("parse", "`JSON.parse` alone"),
      column("memory", "heap per bundle"),
      column("timeGrowth", "time per bundle, relative to 10,000 bundles"),
      column("memoryGrowth", "heap per bundle, relative to 10,000 bundles")
    ]
  },
  {
    name: "growthRows",
    title: "Growth: rows of a campaign",
    text: `One process loads a campaign on SQLite, and sends it to a server that responds immediately. The table shows the peak
memory of the whole process, and the size of the files at the end. The targets compare with 100,000 rows. Fewer rows take less
memory, but more time per row.`,
    columns: [
      column("rows"),
      column("seconds", "total time"),
      column("time", "time per row"),
      column("memory", "peak memory"),
      column("memoryPerRow", "memory per row"),
      column("disk", "disk per row"),
      column("timeGrowth", "time per row, relative to 100,000 rows"),
      column("memoryGrowth", "peak memory, relative to 100,000 rows")
    ]
  },
  {
    name: "own",
    title: "Cost to own",
    text: `\`npm install\` installs one package into an empty project, without install scripts. The table shows the size of the
files, the number of packages, and the time that a fresh process needs to import the entry point, minus that of an empty process.
Core comes from its tarball: with \`effect\` for \`/node\`, and without it for \`/promise\`. Both include undici. The targets are
the medians of the six other packages.`,
    plot: ["own", "Installed size, packages and import time, compared with other packages"],
    subject: "install",
    columns: [
      column("install"),
      column("installed"),
      column("packages", ""),
      column("importTime", "import")
    ]
  },
  {
    name: "size",
    title: "Size in a bundle",
    text: `The table shows what an import adds to a minified esbuild bundle for browsers: to an empty app, and to an app that
already uses Effect ([bench/apps/effectApp.ts](../bench/apps/effectApp.ts), a client of another API with Effect, Layer, Context,
Schema, Schedule and FetchHttpClient). The size of \`/phone\` includes libphonenumber-js and its data. The size of core includes
about 1.9 kB gzip of Effect's loggers and metrics, which core needs to log defects and for telemetry.`,
    subject: "import",
    columns: [
      column("import"),
      column("alone", "empty app"),
      column("aloneGzip", "gzip"),
      column("added", "Effect app"),
      column("addedGzip", "gzip in an Effect app")
    ]
  },
  {
    name: "start",
    title: "Start",
    text: `A fresh process only imports core as it is published (JavaScript), and ends. The table shows the time from start to end,
and the resident memory at the end. \`/promise\` is one file. The others load Effect module by module.`,
    subject: "import",
    columns: [
      column("import"),
      column("time", "start to end"),
      column("over", "more than `node -e`"),
      column("resident")
    ]
  },
  {
    name: "mcpStart",
    title: "MCP server: start",
    text: `The table shows the time from the start of a process to its first response to \`tools/list\` over stdio, and the resident
memory at that moment. The first start of an installation is not included. The other servers list the same tools. Those on the
bare SDKs check nothing. The one on Effect's \`McpServer\` has no schemas of results. None of them calls the service. All are
bundled in the same way. Our server takes longer than the bare SDK because it loads Effect and the schemas. From the second start
on, their compiled code comes from Node's compile cache.`,
    subject: "server",
    columns: [
      column("server"),
      column("time", "start"),
      column("over", "more than `node -e 0`"),
      column("resident"),
      column("oursToIt", "ours relative to it")
    ]
  },
  {
    name: "mcpList",
    title: "MCP server: the list of its tools",
    text: `A host adds the list of tools to every conversation. The table shows the size of \`tools\` in the response to \`tools/list\`, and its
number of tokens in the encoding \`o200k_base\`, counted by gpt-tokenizer. Each model has its own encoding, so use these numbers
only for comparisons.`,
    columns: [column("tool"), column("bytes", ""), column("tokens", "")]
  },
  {
    name: "mcpCall",
    title: "MCP server: a call over stdio",
    text: `A client calls \`preview_sms\`, one call at a time. Our server checks the arguments. The tool of the bare
SDKs returns a constant and checks nothing. The client only reads lines. The table shows the time per call, the difference to the
bare SDK 2, and the resident memory after 10,000 more calls.`,
    subject: "server",
    columns: [
      column("server"),
      column("time", "time per call"),
      column("over", "more than the bare SDK 2"),
      column("resident"),
      column("oursToIt", "ours relative to it")
    ]
  },
  {
    name: "mcpClients",
    title: "MCP server: calls over HTTP",
    text: `1, 8 and 64 clients at once call \`preview_sms\`. Each client has its own connection, and its own session if the server has
sessions. All use protocol 2025-11-25, which all these servers support. Each server is started as its documentation says. Clients and
servers share the processors of this machine. The table shows the resident memory after all calls so far.`,
    plot: ["mcp", "Calls per second of four MCP servers, by the number of clients at once"],
    subject: "server",
    columns: [
      column("clients", ""),
      column("server"),
      column("rate", ""),
      column("resident"),
      column("oursToIt", "ours relative to it")
    ]
  }
]
