// The service as clients and the operator use it: one process, or several on one database, which die, pause and restart meanwhile.
import type { BulkRequest, BulkTerms } from '../src/domain/bulk-cancellation.ts'
import type { Address, ApiKeyId } from '../src/domain/ids.ts'
import type { SendRequest } from '../src/domain/submit.ts'
import type { Row } from './check/row.ts'
import type { KnownPreview, Shown } from './clients.ts'
import type { Process } from './process/engine.ts'

export interface Service {
  up(): boolean
  start(): void
  /** The process dies or pauses after this many more effects. */
  scheduleEnd(end: 'dead' | 'paused', effectsLeft: number): void
  /** A process shuts down in good order, and starts again. */
  restart(): void
  /** All processes shut down, and start with the current configuration. */
  reconfigure(): void
  /** The current policies are set through the API. */
  patch(): void
  /** A replica shuts down and does not come back. Never the last one. */
  leave(): void
  /** A replica dies and does not come back. Never the last one. */
  loseReplica(): void
  /** Another replica starts, if there may be one. */
  join(): void
  /** Some process, which may be paused. */
  someProcess(): Process | undefined
  send(relayer: number, tag: number, request: SendRequest): void
  /** `tag`: of the new payload. */
  replace(relayer: number, id: string, tag: number, request: SendRequest): void
  cancel(relayer: number, id: string): void
  /** Cancels with a limit of cost, as a bulk cancellation does. */
  cancelWithin(relayer: number, id: string, costMax: bigint): void
  cancelPending(relayer: number): void
  release(relayer: number, ids: readonly string[]): void
  /** A bulk cancellation of the transactions that the filter matches. */
  cancelSome(relayers: readonly number[], terms: BulkTerms): void
  preview(relayers: readonly number[], request: BulkRequest): void
  /** The bulk cancellation of a preview: of nothing that was sent since, and of no more than it showed. */
  cancelAsShown(known: KnownPreview): void
  /** `key` releases the row by the digest of a payload that it was shown, or without one. */
  approve(row: Row, shown: Shown | undefined, key: ApiKeyId): void
  /** `tag`: of the sweep. */
  sweep(relayer: number, tag: number, to: Address): void
  /** Pauses or resumes the network. */
  pauseNetwork(paused: boolean): void
  /** An operator permits as many gap fillers as there can be. */
  permitGapFillers(relayer: number): void
  /** Paused processes resume. Where another has taken their place, they soon die. */
  resumePaused(): void
  /** All processes die now, paused ones as well. `start` starts others. */
  stop(): void
  /** Scheduled ends are called off, and stopped processes start. */
  recover(): void
  close(): void
}
