// A host of the service: one process at a time runs there, dies, pauses and restarts.
import type { Process } from './process/engine.ts'

export interface Host {
  /** The process that clients reach. */
  present(): Process | undefined
  isDraining(): boolean
  /** Nobody starts it again. */
  hasLeft(): boolean
  /** Two processes have ever used the database at once. On SQLite the lock on the file forbids that. */
  wasShared(): boolean
  begin(): void
  /** The process dies or pauses after this many more effects. */
  scheduleEnd(end: 'dead' | 'paused', effectsLeft: number): void
  /** Drains, then starts anew, or stays away. */
  drain(then: 'restart' | 'leave'): void
  /** Dies now, and nobody starts it again. */
  lose(): void
  /** Paused processes wake up. */
  wake(): void
  /** All its processes die now, paused ones as well. `begin` starts another. */
  stop(): void
  /** Scheduled ends are called off, and stopped processes start. */
  recover(): void
  close(): void
}

/**
 * Nothing that it does has any effect now. Its signals are aborted all the same: the runtime keeps those that somebody
 * listens to, and with them everything that a run ever made.
 */
export function forget(process: Process): void {
  void process.engine.then((engine) => engine[Symbol.asyncDispose]()).catch(() => undefined)
}

export function ended({ instance }: Process): boolean {
  return instance.state === 'dead'
}
