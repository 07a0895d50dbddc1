// What the figures were measured on.
import { cpus, totalmem } from 'node:os'

export interface Machine {
  readonly cores: number
  readonly model: string
  readonly memoryGiB: number
  readonly node: string
  readonly platform: string
}

export function describeMachine(): Machine {
  return {
    cores: cpus().length,
    model: cpus()[0]?.model ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
  }
}
