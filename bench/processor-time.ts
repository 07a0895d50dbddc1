// The processor time that processes have used, as Linux counts it: a busy machine changes it far less than it does a rate.
import { readdir, readFile } from 'node:fs/promises'

/** USER_HZ, which is 100 on every Linux that Node runs on. */
const ticksPerSecond = 100

/** User and system time of all its threads, in seconds. */
export async function processorSeconds(pid: number): Promise<number> {
  const { own } = await usageOf(pid)
  return own / ticksPerSecond
}

/** Of a process and its children, with those that have ended. */
export async function processorSecondsOfFamily(pid: number): Promise<number> {
  const parent = await usageOf(pid)
  let ticks = parent.own + parent.ended
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    // It may end meanwhile.
    const usage = await usageOf(Number(name)).catch(() => undefined)
    if (usage?.parent === pid) ticks += usage.own
  }
  return ticks / ticksPerSecond
}

/** In ticks. The name, in parentheses, may hold spaces; the fields behind it are those of proc_pid_stat(5) from the third on. */
async function usageOf(pid: number): Promise<{ parent: number; own: number; ended: number }> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [utime = 0, stime = 0, cutime = 0, cstime = 0] = fields.slice(11, 15).map(Number)
  return { parent: Number(fields[1]), own: utime + stime, ended: cutime + cstime }
}
