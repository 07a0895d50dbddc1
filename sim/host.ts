// A host of the service: one process at a time runs there, dies, pauses and restarts.
import type { Process } from './process/engine.ts'

export interface Host {
  /** The process that gets the requests of clients. */
  present(): Process | undefined
  isDraining(): boolean
  /** No process starts here again. */
  hasLeft(): boolean
  /** Two processes have used the database at the same time. On SQLite the lock on the file forbids that. */
  wasShared(): boolean
  begin(): void
  /** The process dies or pauses after this many more effects. */
  scheduleEnd(end: 'dead' | 'paused', effectsLeft: number): void
  /** The process shuts down in good order. Then another starts, or none. */
  drain(then: 'restart' | 'leave'): void
  /** The process dies now, and none starts here again. */
  lose(): void
  /** Paused processes resume. */
  wake(): void
  /** All its processes die now, paused ones as well. `begin` starts another. */
  stop(): void
  /** Scheduled ends are called off, and stopped processes start. */
  recover(): void
  close(): void
}

/**
 * Ends a process whose effects no longer count. Its signals are aborted, since the runtime keeps signals with listeners, and with them
 * all memory of the run.
 */
export function forget(process: Process): void {
  void process.engine.then((engine) => engine[Symbol.asyncDispose]()).catch(() => undefined)
}

export function ended({ instance }: Process): boolean {
  return instance.state === 'dead'
}
