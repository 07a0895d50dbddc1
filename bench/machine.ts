// What the figures were measured on.
import { cpus, loadavg, totalmem } from 'node:os'

export interface Machine {
  readonly cores: number
  readonly model: string
  readonly memoryGiB: number
  readonly node: string
  readonly platform: string
  /** Of the last minute, before the bench began: well above 0, others were at work and the figures are theirs too. */
  readonly loadBefore: number
}

export function describeMachine(): Machine {
  return {
    cores: cpus().length,
    model: cpus()[0]?.model ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    loadBefore: loadavg()[0] ?? 0,
  }
}
