// The locks port: which replica may own which relayers. A relayer belongs to a slot. One replica at a time locks a slot,
// and its lock ends with its session.
import type { RelayerId } from '../domain/ids.ts'

/** A slot's number, from 0 to `slotsMax` - 1. */
export type Slot = number

/** A server's lock table has a fixed size, so relayers beyond this number share slots. */
export const slotsMax = 4_096

/**
 * A replica that is silent for `serverMs` loses its session and every lock. The replica itself trusts its locks for
 * `believedMs` after its last message, no longer.
 */
export const lease = { serverMs: 3_500, believedMs: 2_500 } as const

/** One session of one replica. The members of a survey are distinct. */
export type Member = number

export interface Locks {
  /** Resolves once this replica is a member. Rejects while the database can't be reached. */
  join(): Promise<LockSession>
}

export interface LockSession {
  /**
   * Aborts when the locks are lost or may be lost, before another replica can get one. A process that did not run for
   * a while, for example on a sleeping machine, detects the loss later; `isAlive` is right at once.
   */
  readonly lost: AbortSignal
  /** Whether the session certainly holds its locks at this moment. */
  isAlive(): boolean
  /** Returns the slots that it locked. The session must hold none of them already. Rejects when the session is lost. */
  lock(slots: readonly Slot[]): Promise<readonly Slot[]>
  unlock(slots: readonly Slot[]): Promise<void>
  survey(): Promise<Survey>
  /** Locks of accounts; absent where no other service can share the database. */
  readonly accounts?: AccountLocks
  /** Locks that a commit has to find on the server that it writes to. Absent where sessions can't be on different servers. */
  proof?(slots: readonly Slot[]): LockProof
  /** Leaves, and releases every lock. Never rejects. */
  end(): Promise<void>
}

/** Locks of what relayers sign with, by chain and address: shared by all services of the database, whatever their schemas. */
export interface AccountLocks {
  /** Returns the relayers whose accounts it locked. The session must hold none of them already. Rejects when the session is lost. */
  lock(relayers: readonly RelayerId[]): Promise<readonly RelayerId[]>
  unlock(relayers: readonly RelayerId[]): Promise<void>
}

/** Locks as they stand on their own server. */
export interface LockProof {
  /** The session that holds the locks. */
  readonly member: Member
  /** The first half of the keys of its slots. */
  readonly lockClass: number
  readonly slots: readonly Slot[]
  /** A random lock of this session alone: two servers may give out the same numbers of sessions. */
  readonly token: bigint
}

/** Read at one instant. */
export interface Survey {
  readonly self: Member
  /** The slots of each member, this one included. */
  readonly members: ReadonlyMap<Member, ReadonlySet<Slot>>
  /** Slots of sessions that are no members: no replica can lock them. */
  readonly barred: ReadonlySet<Slot>
}
