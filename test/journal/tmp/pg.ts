import { startPostgres } from "../support/PostgresServer.ts"
const server = await startPostgres()
console.log(server.port)
process.once("SIGTERM", () => void server.stop().then(() => process.exit(0)))
setInterval(() => {}, 60000)
