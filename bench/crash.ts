/**
 * What becomes of an SMS whose sender crashes. The service places the crash: it kills the sender at an exact point
 * of one send. Then the sender is started again, and asked about all of them.
 */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder } from "../scripts/support.ts"
import { noPostgres, startPostgres } from "../test/harness/journal/PostgresServer.ts"
import { openRespondingUpstream } from "../test/harness/mcp/RespondingUpstream.ts"
import { reply } from "../test/harness/ResponseServer.ts"
import { clients } from "./comparison/clients.js"
import { installOthers } from "./contenders.ts"
import { prepareSenders, type Sender } from "./crash/senders.ts"
import { keyOf, type Trial } from "./crash/trial.ts"
import { shareOf } from "./measure.ts"
import { joinAlike, type Row, type Table } from "./table.ts"

/** When the sender is killed, and whether the service has accepted the SMS and responded by then. */
const places = [
  { name: "before the service gets the request", isAccepted: false, hasResponded: false },
  { name: "between the request and its record", isAccepted: true, hasResponded: false },
  { name: "after the record", isAccepted: true, hasResponded: true }
] as const

type Place = (typeof places)[number]

const keys = Array.from({ length: shareOf(34) }, (_, index) => String(1_000_000 + index))

/** Far longer than a start and a send take. */
const patienceMillis = 120_000

const within = <A>(what: string, promise: Promise<A>): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took too long`)), patienceMillis)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** `accepted`: how often the service accepted the SMS. `said`: what its sender says of it in the end. */
const endOf = (accepted: number, said: string | undefined): string => {
  if (accepted > 1) return "**sent twice**"
  if (said === "sent") return accepted === 1 ? "sent" : "**lost silently**"
  return `${accepted === 1 ? "sent" : "lost"}, reported as ${said}`
}

/** Kills the sender once in the send of each key, and returns how many of them ended how. */
const cellOf = async (sender: Sender, { isAccepted, hasResponded }: Place, trial: Trial) => {
  await using service = await openRespondingUpstream()
  const accepted = new Map<string, number>()
  const accept = reply(202, clients["axios"]?.accepted)
  /** The key in whose send the sender is killed, and how. */
  let next = { key: "", kill: () => {} }
  service.respondWith((request, response) => {
    const key = keyOf(request.body)
    const isNext = key === next.key
    if (!isNext || isAccepted) accepted.set(key, (accepted.get(key) ?? 0) + 1)
    if (!isNext || hasResponded) return accept(request, response)
    next.kill()
    return response.destroy()
  })
  const place = { ...trial, url: service.baseUrl }

  for (const key of keys) {
    const running = await within(`The start of ${sender.name}`, sender.start(place))
    const killed = new Promise<unknown>((resolve, reject) => {
      const kill = () => void running.kill().then(resolve, reject)
      next = { key, kill }
      // A sender that is killed says nothing.
      running.send(key).then(kill, () => undefined)
    })
    await within(`A send by ${sender.name}`, killed)
    next.key = ""
  }

  const said = await within(`The report of ${sender.name}`, sender.report(place, keys))
  const counts = new Map<string, number>()
  for (const [at, key] of keys.entries()) {
    const end = endOf(accepted.get(key) ?? 0, said[at])
    counts.set(end, (counts.get(end) ?? 0) + 1)
  }
  return [...counts].map(([end, count]) => `${count} ${end}`).join("; ")
}

export const crash = async function* (): AsyncGenerator<Table> {
  if (noPostgres !== undefined) return console.error(`Not without PostgreSQL: ${noPostgres}`)
  installOthers()
  const { port, stop } = await startPostgres()
  const folder = temporaryFolder()
  const rows = new Array<Row>()
  for (const [index, sender] of (await prepareSenders()).entries()) {
    const cells = await Promise.all(
      places.map((place, at) => {
        const name = `trial_${index}_${at}`
        mkdirSync(join(folder, name))
        return cellOf(sender, place, { name, folder: join(folder, name), port, url: "" })
      })
    )
    rows.push({ labels: [sender.name], target: "", cells })
  }
  await stop()
  yield {
    name: "crash",
    headings: ["sender"],
    measured: places.map(({ name }) => name),
    rows: joinAlike(rows)
  }
}
