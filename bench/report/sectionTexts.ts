/**
 * The words of the document: what each table is about, and what its columns are called. After a change
 * of them, `bench size` writes the document again in seconds.
 */
import type { SectionName } from "./results.ts"

export interface Column {
  /** The name of a label or of a value. */
  readonly of: string
  /** Its unit follows; empty where the unit says all. */
  readonly title: string
}

export interface SectionText {
  readonly name: SectionName
  readonly title: string
  readonly text: string
  readonly columns: ReadonlyArray<Column>
  /** The label that tells in the summary whom a target is for; none where it is for the whole table. */
  readonly subject?: string
  /** The name of an image and what it shows. */
  readonly plot?: readonly [name: string, alternative: string]
}

const column = (of: string, title = of): Column => ({ of, title })

export const sectionTexts: ReadonlyArray<SectionText> = [
  {
    name: "wire",
    title: "A send that fails",
    text: `How many POSTs a server counts for one call that sends, each client with its own defaults and a time-out
of 300 ms, and what \`sendOutcome\` says of ours. The others have no word on the outcome. A connection is refused
where no server is: nothing can be counted there. stripe sends an idempotency key with its POSTs, so that its
service can tell a repetition; the service that this project is for has none.`,
    plot: ["posts", "POSTs for one send that fails, by fault and client"],
    columns: [
      column("fault"),
      ...["core on `/node`", "core `/promise`", "core on `/fetch`"].map((name) => column(name)),
      ...["`fetch` + zod", "axios", "stripe", "telnyx", "twilio"].map((name) => column(name)),
      column("most of core", "core, POSTs at most"),
      column("outcome")
    ]
  },
  {
    name: "call",
    title: "A call",
    text: `One call on loopback, its response decoded, one at a time and 50 at once. Every client has a process of its own, and
so has the server, which writes fixed responses: the time is the client's. Wall is what a call takes,
processor what it costs; the last column is the wall of core on \`/node\` to that of this client. Core is
traced with the tracer that Effect has by default. Beside the HTTP client under it, a call of core spans, counts,
bounds, decodes and runs as an Effect: about 25 µs, which is where a ratio to \`undici.request\` is not met.`,
    plot: ["call", "Time of a call beside other clients"],
    subject: "client",
    columns: [
      column("operation"),
      column("atOnce", "at once"),
      column("client"),
      column("wall"),
      column("processor"),
      column("toFetch", "wall to `fetch`"),
      column("processorToFetch", "processor to `fetch`"),
      column("toUndici", "wall to `undici`"),
      column("coreToIt", "`/node` to it")
    ]
  },
  {
    name: "campaign",
    title: "A campaign",
    text: `500 SMS, 50 at once (20 where a response takes 20 ms), to a server that responds at once: with the
client alone, and as a slice of a campaign, from \`begin\` to \`end\`. Each claim is on the disk before its
request leaves. Databases, workers and server share the processors of this machine.`,
    subject: "sender",
    columns: [
      column("sender"),
      column("rate", ""),
      column("processor", "processor a row"),
      column("ratio", "rate to the reference"),
      column("reference")
    ]
  },
  {
    name: "decode",
    title: "Decoding a long response",
    text: `A response of \`listDataBundles\` with 10,000 bundles (1 MB): \`JSON.parse\`, and \`JSON.parse\` with
a check of every field behind it. Each library as its documentation recommends it for speed: ajv and typebox
compile a function, zod does so by itself, valibot does not. On Node core compiles this one schema, where code
generation is allowed; elsewhere Effect's interpreter reads it. ajv and typebox check what \`JSON.parse\` made and
hand it on; zod, valibot and core make a value of their own. The last column is core, compiled, to this one.`,
    subject: "library",
    columns: [
      column("library"),
      column("parse", "`JSON.parse` alone"),
      column("decode", "with the check"),
      column("ratio", "ratio"),
      column("coreToIt", "core to it")
    ]
  },
  {
    name: "decodeSmall",
    title: "Decoding a small response",
    text: `The same with the status of one SMS (0.2 kB), which core does not compile.`,
    subject: "library",
    columns: [
      column("library"),
      column("parse", "`JSON.parse` alone"),
      column("decode", "with the check"),
      column("ratio", "ratio"),
      column("coreToIt", "core to it")
    ]
  },
  {
    name: "many",
    title: "Growth: calls at once",
    text: `\`sendSms\` on \`/node\`, all calls started at once, in a fresh process: what one of them takes, what
it adds to the memory of the process at its peak, and the connections that stand. One call alone waits for its
response; a hundred share the time. Of 10,000 calls at once most wait, and what waits takes memory: it grows with
each, and goes with it. The targets compare with 1,000 calls.`,
    plot: ["growth", "Time and memory of one call, bundle and row, by how many there are"],
    columns: [
      column("calls", "at once"),
      column("time", "a call"),
      column("memory", "a call"),
      column("connections", ""),
      column("timeGrowth", "time a call to that at 1,000"),
      column("memoryGrowth", "memory a call to that at 1,000")
    ]
  },
  {
    name: "growthBundles",
    title: "Growth: bundles of a response",
    text: `One response of \`listDataBundles\`, parsed and decoded, with the schema compiled; \`JSON.parse\` alone; and
what the decoded response holds of the heap. A million bundles are 100 MB of JSON. The targets compare with 10,000
bundles. All bundles are in memory at once, and \`JSON.parse\` alone grows, too.`,
    columns: [
      column("bundles"),
      column("time", "a bundle"),
      column("parse", "`JSON.parse` alone"),
      column("memory", "held by a bundle"),
      column("timeGrowth", "time a bundle to that at 10,000"),
      column("memoryGrowth", "memory a bundle to that at 10,000")
    ]
  },
  {
    name: "growthRows",
    title: "Growth: rows of a campaign",
    text: `A campaign on SQLite, loaded and sent by one process to a server that responds at once; the largest memory
of that process, all of it, and what is on the disk at the end. The targets compare with 100,000 rows;
fewer take less memory, and more time each.`,
    columns: [
      column("rows"),
      column("seconds", "all"),
      column("time", "a row"),
      column("memory", "largest memory"),
      column("memoryPerRow", "memory a row"),
      column("disk", "disk a row"),
      column("timeGrowth", "time a row to that at 100,000"),
      column("memoryGrowth", "largest memory to that at 100,000")
    ]
  },
  {
    name: "own",
    title: "Cost to own",
    text: `What \`npm install\` of one package puts into an empty project, without install scripts: the size of its
files, the number of packages, and the time that a fresh process takes longer than an empty one to import its
entry point. Core comes from its tarball: with \`effect\` for \`/node\`, without for \`/promise\`; undici is in
both. The targets are the median of the six others.`,
    plot: ["own", "Installed size, packages and import time beside other packages"],
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
    text: `What an import adds to a bundle of esbuild for browsers, minified, in kB: to an empty app, and to
one that already has Effect ([bench/apps/effectApp.ts](../bench/apps/effectApp.ts): another API's client with
Effect, Layer, Context, Schema, Schedule and FetchHttpClient). \`/phone\` counts with libphonenumber-js and
its data. Of core's own size, Effect's loggers and metrics are about 1.9 kB gzip, which logs of defects and
telemetry need.`,
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
    text: `A fresh process from its start to its end, with nothing to do but an import of core as it is
published (JavaScript), and the memory that is resident then. \`/promise\` is one file; the others load Effect
module by module.`,
    subject: "import",
    columns: [
      column("import"),
      column("time", "start to end"),
      column("over", "over `node -e`"),
      column("resident")
    ]
  },
  {
    name: "mcpStart",
    title: "MCP server: start",
    text: `A fresh process to its first response to \`tools/list\` over stdio, not the first start of an
installation, and the memory that is resident then. The other servers list the same tools: those on the bare SDKs
as they are and check nothing, that on Effect's \`McpServer\` without schemas of results. None of them knows the service.
All are bundled the same way. What ours takes longer than the bare SDK is the compile of Effect and of
the schemas, which comes from Node's compile cache from the second start on.`,
    subject: "server",
    columns: [
      column("server"),
      column("time", "start"),
      column("over", "over `node -e 0`"),
      column("resident"),
      column("oursToIt", "ours to it")
    ]
  },
  {
    name: "mcpList",
    title: "MCP server: the list of its tools",
    text: `What every conversation carries: \`tools\` of the response to \`tools/list\`, its size and its tokens in the encoding
\`o200k_base\`, counted by gpt-tokenizer. Models have encodings of their own: compare, do not add up.`,
    columns: [column("tool"), column("bytes", ""), column("tokens", "")]
  },
  {
    name: "mcpCall",
    title: "MCP server: a call over stdio",
    text: `\`preview_sms\`, one at a time, its arguments and its response checked, in a client that
only parses lines; what it is over the bare SDK, whose tool returns a constant unchecked; and the memory that
is resident after 10,000 more.`,
    subject: "server",
    columns: [
      column("server"),
      column("time", "a call"),
      column("over", "over the bare SDK 2"),
      column("resident"),
      column("oursToIt", "ours to it")
    ]
  },
  {
    name: "mcpClients",
    title: "MCP server: calls over HTTP",
    text: `\`preview_sms\` by 1, 8 and 64 clients at once, each on a connection and in a session of its own, if the server has
sessions, in the protocol 2025-11-25, which all of these speak. Each server is started as its documentation
does; clients and servers share the processors of this machine. The memory is resident after all calls up to there.`,
    plot: ["mcp", "Calls a second by clients at once, for four MCP servers"],
    subject: "server",
    columns: [
      column("clients", ""),
      column("server"),
      column("rate", ""),
      column("resident"),
      column("oursToIt", "ours to it")
    ]
  }
]
