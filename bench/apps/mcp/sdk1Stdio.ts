import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import { makeServer } from "./sdk1.ts"

void makeServer().connect(new StdioServerTransport())
