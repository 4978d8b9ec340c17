/** What started the program: npx, `npm run` or pnpm, each with a shell, and one in the other. */
import { readFileSync } from "node:fs"

/** Both set it for whatever they start. */
const mark = "npm_command"

const read = (pid: number, file: "environ" | "stat"): string | undefined => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8")
  } catch {
    // It has ended or belongs to somebody else, or only Linux has such files.
    return undefined
  }
}

/** The name before these fields can have any text. Source: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
const statOf = (pid: number) => {
  const [, parent, , session] = read(pid, "stat")?.split(") ").at(-1)?.split(" ") ?? []
  return { parent: parent === undefined ? undefined : Number(parent), session }
}

const parentOf = (pid: number): number | undefined =>
  pid === process.pid ? process.ppid : statOf(pid).parent

/**
 * From this process up, each one that npm or pnpm started, with its parent. What has a session of its own is to go on
 * alone, as by `setsid`, or belongs to another terminal.
 */
const linksOf = (environment: NodeJS.ProcessEnv): ReadonlyArray<[pid: number, parent: number]> => {
  const links = new Array<[number, number]>()
  let pid = process.pid
  let isLaunched = environment[mark] !== undefined
  while (isLaunched) {
    const parent = parentOf(pid)
    if (parent === undefined || statOf(pid).session !== statOf(parent).session) break
    links.push([pid, parent])
    pid = parent
    isLaunched = read(pid, "environ")?.includes(`${mark}=`) === true
  }
  return links
}

/**
 * npx that has ended has ended its shell, but not the program in it, or not pnpm with another shell and the program:
 * nobody could then stop that. Call it before anything is printed: npx may end as soon as something is.
 */
export const onEndOfLauncher = (environment: NodeJS.ProcessEnv, ended: () => void): void => {
  const links = linksOf(environment)
  if (links.length === 0) return
  const look = () => {
    // One that cannot be read has ended, and then another one has lost its parent.
    if (links.every(([pid, parent]) => (parentOf(pid) ?? parent) === parent)) return
    clearInterval(looking)
    ended()
  }
  // @effect-diagnostics-next-line globalTimers:off -- that of a fiber would keep the process from its end
  const looking = setInterval(look, 500).unref()
}
