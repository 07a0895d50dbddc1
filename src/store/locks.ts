// The locks port: which replica may own which relayers. A relayer belongs to a slot, and a slot is locked by one replica
// at a time, for no longer than its session lives.

/** From 0 to `slotsMax` - 1. */
export type Slot = number

/** Locks of a server are of a table of fixed size, so relayers beyond so many share them. */
export const slotsMax = 4_096

/**
 * A replica that is silent for `serverMs` loses its session, and with it every lock. It believes in them itself for no longer
 * than `believedMs` since it last spoke.
 */
export const lease = { serverMs: 3_500, believedMs: 2_500 } as const

/** One session of one replica. Of the members that a survey tells, no two are the same. */
export type Member = number

export interface Locks {
  /** Resolves once this replica is a member. Rejects while the database can't be asked. */
  join(): Promise<LockSession>
}

export interface LockSession {
  /**
   * Aborts when the locks are lost, or may be: nobody else gets one of them before. Until the process looks at its clock,
   * after a sleep of its machine for example, only `isAlive` knows.
   */
  readonly lost: AbortSignal
  /** Whether the locks are certainly held at this moment. */
  isAlive(): boolean
  /** Answers those that are this session's now. None of them may be held already. Rejects when the session is lost. */
  lock(slots: readonly Slot[]): Promise<readonly Slot[]>
  unlock(slots: readonly Slot[]): Promise<void>
  survey(): Promise<Survey>
  /** Leaves, and gives up every lock. Never rejects. */
  end(): Promise<void>
}

/** As of one instant. */
export interface Survey {
  readonly self: Member
  /** What each member holds, this one included. */
  readonly members: ReadonlyMap<Member, ReadonlySet<Slot>>
  /** Held by sessions that are no members: nobody of ours gets them. */
  readonly barred: ReadonlySet<Slot>
}
