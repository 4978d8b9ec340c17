/**
 * The texts of the document: what each table shows, and the titles of its columns. After a change here,
 * `bench size` writes the document again, in seconds.
 */
import type { SectionName } from "./results.ts"

export interface SectionText {
  readonly name: SectionName
  readonly title: string
  readonly text: string
  /** By the name of a label or of a value. The unit is appended. Empty if the unit alone is enough. */
  readonly columns: Readonly<Record<string, string>>
  /** The name of an image, and its alternative text. */
  readonly plot?: readonly [name: string, alternative: string]
}

export const texts: ReadonlyArray<SectionText> = [
  {
    name: "wire",
    title: "A send that fails",
    text: `The table shows how many POSTs a server counts for one call that sends. Each client has its own defaults and a
time-out of 300 ms. \`outcome\` is what \`sendOutcome\` returns for core. The other clients do not report an outcome. For the
refused connection there is no server, so no POST can be counted. stripe sends an idempotency key with its POSTs, so its service
recognises a resent POST. The Messaging and Top-up Service has no idempotency key.`,
    plot: ["posts", "POSTs for one send that fails, by fault and client"],
    columns: {
      fault: "fault",
      "core on `/node`": "core on `/node`",
      "core `/promise`": "core `/promise`",
      "core on `/fetch`": "core on `/fetch`",
      "`fetch` + zod": "`fetch` + zod",
      axios: "axios",
      stripe: "stripe",
      telnyx: "telnyx",
      twilio: "twilio",
      "core, maximum": "core, maximum POSTs",
      outcome: "outcome"
    }
  },
  {
    name: "call",
    title: "A call",
    text: `The table shows the time of one call on loopback, including the decoding of the response, with one call at a time
and with 50 at once. Each client runs in its own process. The server runs in another one and writes fixed responses, so the time
is that of the client. Wall time is the duration of a call. CPU time is the processor time of the client's process per call.
All ratios are of CPU time, because other work of the machine changes it less than wall time. The last column is core on \`/node\`
relative to the client in the row. Core runs with Effect's default tracer, so it makes metrics and no spans. In addition to the
HTTP request, core encodes and decodes, limits time and the size of the body, and runs as an Effect.`,
    plot: ["call", "CPU time of a call, compared with other clients"],
    columns: {
      operation: "operation",
      atOnce: "at once",
      client: "client",
      wall: "wall time",
      processor: "CPU time",
      toFetch: "relative to `fetch`",
      toUndici: "relative to `undici`",
      coreToIt: "`/node` relative to it"
    }
  },
  {
    name: "campaign",
    title: "A campaign",
    text: `The benchmark sends 500 SMS to a server, 50 at once, or 20 at once if a response takes 20 ms. Otherwise the server
responds immediately. "No journal" is the client alone. The other senders send a campaign of 2,000 rows with \`sendMany\`.
Each claim is on the disk before its request starts. Databases, processes and server share the processors of this machine.`,
    columns: {
      sender: "sender",
      rate: "",
      processor: "CPU time per row",
      ratio: "rate relative to the reference",
      reference: "reference"
    }
  },
  {
    name: "growth",
    title: "Growth: rows of a campaign",
    text: `One process sends a campaign on SQLite to a server that responds immediately. The table shows the peak
memory of the whole process, and the size of the files at the end. The targets compare with 100,000 rows. Fewer rows take less
memory, but more time per row.`,
    columns: {
      rows: "rows",
      seconds: "total time",
      time: "time per row",
      memory: "peak memory",
      memoryPerRow: "memory per row",
      disk: "disk per row",
      timeGrowth: "time per row, relative to 100,000 rows",
      memoryGrowth: "peak memory, relative to 100,000 rows"
    }
  },
  {
    name: "decode",
    title: "Decoding a response",
    text: `The responses are two of \`listDataBundles\`, with 10,000 and with 100,000 bundles (1 MB and 10 MB), and one of
\`getSmsStatus\` (0.2 kB). The table shows the CPU time of \`JSON.parse\`, and of \`JSON.parse\` followed by a check of every field. Each library is used as its
documentation recommends for speed. ajv and typebox check the value of \`JSON.parse\` and return the same value. zod, valibot and
core make a new value. On Node, core compiles its schemas if code generation is allowed. Otherwise, Effect's interpreter
decodes the response. The last column is the time of core relative to that of the library in the row.`,
    columns: {
      response: "response",
      library: "library",
      parse: "`JSON.parse` alone",
      decode: "with the check",
      ratio: "ratio",
      coreToIt: "core relative to it"
    }
  },
  {
    name: "own",
    title: "Cost to own",
    text: `\`npm install\` installs one package into an empty project, without install scripts. The table shows the size of the
files, the number of packages, and the CPU time that a fresh process needs to import the entry point, minus that of an empty process.
Core comes from its tarball: with \`effect\` for \`/node\`, and without it for \`/promise\`. Both include undici. The targets are
the medians of the six other packages. The last column is the same import with Node's compile cache (\`NODE_COMPILE_CACHE\`), which
earlier processes filled. The last row is what core and undici add to an app that imports Effect anyway.`,
    plot: ["own", "Installed size, packages and import time, compared with other packages"],
    columns: {
      install: "install",
      installed: "installed",
      packages: "",
      importTime: "import",
      cachedTime: "import, cached"
    }
  },
  {
    name: "size",
    title: "Size in a bundle",
    text: `The table shows what an import adds to a minified esbuild bundle for browsers: to an empty app, and to an app that
already uses Effect ([bench/apps/effectApp.ts](../bench/apps/effectApp.ts), a client of another API with Effect, Layer, Context,
Schema, Schedule and FetchHttpClient). The size of \`/phone\` includes libphonenumber-js and its data. The size of core includes
Effect's metrics.`,
    columns: {
      import: "import",
      alone: "empty app",
      aloneGzip: "gzip",
      added: "Effect app",
      addedGzip: "gzip in an Effect app"
    }
  },
  {
    name: "mcpStart",
    title: "MCP server: start",
    text: `The table shows the time from the start of a process to its first response to \`tools/list\` over stdio, and the CPU time
and the resident memory of the process at that moment. The first start of an installation is not included. The bare SDK lists the
same tools. It checks nothing, and does not call the service. It is bundled in the same way, with the code of the SDK as it is.
Our server takes longer because it loads Effect and the schemas. From the second start on, their compiled code comes from Node's
compile cache.`,
    columns: {
      server: "server",
      time: "start",
      processor: "CPU time",
      over: "more CPU time than the bare SDK 2",
      resident: "resident"
    }
  },
  {
    name: "mcpCall",
    title: "MCP server: a call over stdio",
    text: `A client calls \`preview_sms\`, one call at a time. Our server checks the arguments. The tool of the bare
SDK returns the same result as a constant, and checks nothing. The client only reads lines. The table shows the time per call, the
CPU time of the server per call, the difference to that of the bare SDK 2, and the resident memory after 10,000 more calls.`,
    columns: {
      server: "server",
      time: "time per call",
      processor: "CPU time",
      over: "more CPU time than the bare SDK 2",
      resident: "resident"
    }
  },
  {
    name: "mcpClients",
    title: "MCP server: calls over HTTP",
    text: `1, 8 and 64 clients at once call \`preview_sms\`, with the protocols of both eras. Each client has its own connection, and
before 2026-07-28 its own session if the server has sessions. The other servers list the same tools, return our result as a
constant, and check nothing: no host, origin, size, caller or arguments. Effect's \`McpServer\` has no protocol 2026-07-28. Clients
and servers share the processors of this machine. The last column divides the CPU time of the other server per call by that of
ours.`,
    plot: ["mcp", "Calls per second of MCP servers, by protocol and the number of clients at once"],
    columns: {
      era: "protocol",
      clients: "",
      server: "server",
      rate: "",
      processor: "CPU time per call",
      oursToIt: "calls of ours in the CPU time of one of it"
    }
  },
  {
    name: "mcpSends",
    title: "MCP server: sends over HTTP",
    text: `64 clients at once call \`send_sms\` of our server 50,000 times, with different texts and the protocol 2026-07-28. Nobody is asked.
The service is another process that responds immediately. Clients, server and service share the processors of this machine. The rate
is the median of ten parts of 5,000 sends. The growth compares the CPU time of the last part with that of the second.`,
    columns: {
      state: "state",
      rate: "",
      processor: "CPU time per send",
      growth: "growth"
    }
  },
  {
    name: "mcpMemory",
    title: "MCP server: memory over HTTP",
    text: `64 clients at once call \`preview_sms\` of our server, 54,000 times. The table shows the resident memory of the server,
which Node starts with the flags of the [image](../packages/mcp-server/Dockerfile).`,
    columns: {
      era: "protocol",
      residentEarly: "after 18,000 calls",
      residentLate: "after 54,000 calls"
    }
  }
]
