// The most memory that a process ever held, as Linux counts it.
import { readFile } from 'node:fs/promises'

/** Resident set at its peak (VmHWM), in MB of 10^6 bytes. */
export async function peakMemoryMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]
  if (kibibytes === undefined) throw new Error(`/proc/${pid}/status names no VmHWM: this measure needs Linux`)
  return (Number(kibibytes) * 1024) / 1e6
}
