// The processor time that a process has used, as Linux counts it: a busy machine changes it far less than it does a rate.
import { readFile } from 'node:fs/promises'

/** USER_HZ, which is 100 on every Linux that Node runs on. */
const ticksPerSecond = 100

/** User and system time of all its threads, in seconds. */
export async function processorSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The name, in parentheses, may hold spaces; utime and stime are the 14th and 15th field (proc_pid_stat(5)).
  const [utime, stime] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return (Number(utime) + Number(stime)) / ticksPerSecond
}
