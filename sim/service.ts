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
  /** Drains, then starts anew. */
  restart(): void
  /** All drain, and start with what is configured now. */
  reconfigure(): void
  /** What is configured now counts from the answer on, without a restart. */
  patch(): void
  /** A replica drains, and stays away: never the last. */
  leave(): void
  /** A replica is gone for good: never the last. */
  loseReplica(): void
  /** Another replica starts, if there may be one. */
  join(): void
  /** Some replica, in whatever state. */
  someProcess(): Process | undefined
  send(relayer: number, tag: number, request: SendRequest): void
  /** `tag`: of the new payload. */
  replace(relayer: number, id: string, tag: number, request: SendRequest): void
  cancel(relayer: number, id: string): void
  /** As a bulk cancellation with a limit of cost does to one that it takes. */
  cancelWithin(relayer: number, id: string, costMax: bigint): void
  cancelPending(relayer: number): void
  release(relayer: number, ids: readonly string[]): void
  /** What the filter matches, at each of the relayers. */
  cancelSome(relayers: readonly number[], terms: BulkTerms): void
  preview(relayers: readonly number[], request: BulkRequest): void
  /** Makes a bulk cancellation with the token of a preview. */
  redeem(known: KnownPreview, exact: boolean): void
  /** `key` releases what it was shown, or without a digest. */
  approve(row: Row, shown: Shown | undefined, key: ApiKeyId): void
  /** `tag`: of the sweep. */
  sweep(relayer: number, tag: number, to: Address): void
  /** Pauses the network, or lifts that. */
  pauseNetwork(paused: boolean): void
  /** An operator permits as many gap fillers as there can be. */
  permitGapFillers(relayer: number): void
  /** Paused processes wake up; where another has taken their place, they soon die. */
  wakeZombies(): void
  /** Ends at once, with all that was paused, and starts when it is told to. */
  stop(): void
  /** Scheduled ends are called off, and stopped processes start. */
  recover(): void
  close(): void
}
