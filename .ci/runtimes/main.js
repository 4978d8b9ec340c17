/** For runtimes that run a program. The two addresses are its arguments. */
import process from "node:process"
import { scenario } from "./scenario.js"

const [baseUrl, refusingUrl] = process.argv.slice(2)
console.log(JSON.stringify(await scenario(baseUrl, refusingUrl)))
