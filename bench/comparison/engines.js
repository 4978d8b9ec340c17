/**
 * A job queue and a durable engine that send SMS, as their documentation says. For once-delivery, the key of an SMS is
 * the id of its job, or of its workflow.
 *
 * A package is imported only when it is used, so that a process loads only one.
 */
import { setTimeout } from "node:timers/promises"

const queue = "sms"

/** A job whose worker crashed is known as expired after 5 seconds, and not after 15 minutes. */
const pgBoss = async ({ database, schema, send, settings }) => {
  const { PgBoss } = await import("pg-boss")
  const boss = new PgBoss({
    connectionString: database,
    schema,
    monitorIntervalSeconds: 1,
    superviseIntervalSeconds: 1
  })
  boss.on("error", console.error)
  await boss.start()
  await boss.createQueue(queue, { expireInSeconds: 5, ...settings })
  await boss.work(queue, { pollingIntervalSeconds: 0.5 }, ([job]) => send(job.data.key))
  const idOf = (key) => `00000000-0000-4000-8000-${key.padStart(12, "0")}`
  const end = async (key) => {
    while (true) {
      const [job] = await boss.findJobs(queue, { id: idOf(key) })
      if (job?.state === "completed") return "sent"
      if (job?.state === "failed") return "failed"
      await setTimeout(50)
    }
  }
  return async (keys) => {
    for (const key of keys) await boss.send(queue, { key }, { id: idOf(key) })
    const ends = []
    for (const key of keys) ends.push(await end(key))
    return ends
  }
}

/** At its start, it goes on with the workflows that a crash interrupted. */
const dbos = async ({ database, schema, send }) => {
  const { DBOS } = await import("@dbos-inc/dbos-sdk")
  DBOS.setConfig({
    name: "sms",
    systemDatabaseUrl: database,
    systemDatabaseSchemaName: schema,
    logLevel: "error"
  })
  const step = (key) => DBOS.runStep(() => send(key), { name: "send" })
  const workflow = DBOS.registerWorkflow(step, { name: "sendSms" })
  await DBOS.launch()
  const end = async (key) => {
    const handle = await DBOS.startWorkflow(workflow, { workflowID: key })(key)
    return handle.getResult().then(
      () => "sent",
      () => "failed"
    )
  }
  return (keys) => Promise.all(keys.map(end))
}

export const engines = { dbos, pgBoss }
