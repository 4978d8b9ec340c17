import { type Campaigns, openCampaigns } from "@messaging-topup/campaign/promise"
import { startSandbox } from "@messaging-topup/sandbox/promise"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { rowOf } from "./support/Rows.ts"

const all = async <A>(items: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const found = new Array<A>()
  for await (const item of items) found.push(item)
  return found
}

const opened = async () => {
  const folder = mkdtempSync(join(tmpdir(), "campaigns-"))
  const sandbox = await startSandbox()
  const { baseUrl, token } = sandbox
  const instances = new Set<Campaigns>()
  const open = () => {
    const campaigns = openCampaigns({ journal: join(folder, "journal.db"), baseUrl, token })
    instances.add(campaigns)
    return campaigns
  }
  onTestFinished(async () => {
    for (const campaigns of instances) await campaigns.close()
    await sandbox.close()
    rmSync(folder, { recursive: true })
  })
  return { campaigns: open(), reopen: open, sandbox }
}

it("a script sends the rows of a campaign once each, and rows that it adds later", async () => {
  const { campaigns, sandbox } = await opened()
  const asynchronous = async function* () {
    yield* [0, 1, 2, 3].map((index) => rowOf(index))
  }
  const events = await all(campaigns.run("c", [rowOf(0), rowOf(1)]))
  expect([events[0]?._tag, events.at(-1)?._tag]).toEqual(["Loaded", "Ended"])
  await all(campaigns.run("c", asynchronous()))
  expect(await sandbox.messages()).toHaveLength(4)
  expect(await campaigns.status("c")).toMatchObject({ state: "running", counts: { sent: 4 } })
  const results = await all(campaigns.results("c", { state: "sent" }))
  expect(results.map(({ key }) => key)).toEqual(["k0", "k1", "k2", "k3"])
  expect(await campaigns.report("c")).toContain("<!doctype html>")
})

it("close ends the loops: it waits for their requests in flight, and the rest stays pending", async () => {
  const { campaigns, reopen, sandbox } = await opened()
  const rows = Array.from({ length: 200 }, (_, index) => rowOf(index))
  let closed: Promise<void> | undefined
  for await (const { _tag } of campaigns.run("c", rows, { concurrency: 5 })) {
    if (_tag === "Settled") closed ??= campaigns.close()
  }
  await closed
  const { counts } = await reopen().status("c")
  expect(counts).toMatchObject({ attempting: 0, unknown: 0, rejected: 0 })
  expect(counts.sent).toBe((await sandbox.messages()).length)
  expect(counts.pending).toBe(200 - counts.sent)
})

it("leaving the loop waits for the requests in flight, and resume sends the other rows", async () => {
  const { campaigns, sandbox } = await opened()
  const rows = Array.from({ length: 200 }, (_, index) => rowOf(index))
  for await (const { _tag } of campaigns.run("c", rows, { concurrency: 5 })) {
    if (_tag === "Settled") break
  }
  const { counts } = await campaigns.status("c")
  expect(counts).toMatchObject({ attempting: 0, unknown: 0 })
  expect(counts.sent).toBe((await sandbox.messages()).length)
  expect(await campaigns.pause("c")).toBe("paused")
  await all(campaigns.resume("c"))
  expect(await sandbox.messages()).toHaveLength(200)
})

it("rejects with the errors of the functions of Campaign", async () => {
  const { campaigns } = await opened()
  await expect(campaigns.status("nobody")).rejects.toMatchObject({ _tag: "CampaignNotFound" })
  const wrong = campaigns.run("c", [rowOf(0)], { concurrency: 0 })
  await expect(all(wrong)).rejects.toMatchObject({
    _tag: "InvalidInput",
    field: "concurrency"
  })
})

it("the README's script sends once, even if it runs again", async () => {
  await using sandbox = await startSandbox()
  const folder = mkdtempSync(join(tmpdir(), "campaigns-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const env = {
    ...process.env,
    MESSAGING_TOPUP_BASE_URL: sandbox.baseUrl,
    MESSAGING_TOPUP_TOKEN: sandbox.token
  }
  for (let time = 0; time < 2; time++) {
    const program = spawn(process.execPath, [resolve("examples/campaign-script.ts")], {
      cwd: folder,
      env,
      stdio: "ignore"
    })
    const [code] = await once(program, "exit")
    expect(code).toBe(0)
  }
  expect(await sandbox.messages()).toMatchObject([{ message: "Your order has arrived" }])
})
