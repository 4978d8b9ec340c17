import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { makeServer } from "./sdk2.ts"

serveStdio(makeServer)
