// Locks, hints and a server that holds them, all in memory: sessions end when a test says so.
import type { RelayerId } from '../../src/domain/ids.ts'
import type { Hint, Hints } from '../../src/store/hints.ts'
import type { LockSession, Locks, Member, Slot } from '../../src/store/locks.ts'

interface LockServer {
  readonly locks: Locks
  readonly hints: Hints
  /** The locks of each session, numbered by their order from 1. */
  readonly held: ReadonlyMap<Member, ReadonlySet<Slot>>
  /** Ends the session as the server would, and its client notices. */
  end(member: Member): void
  /** From now on no session can begin, and none that is there is answered. */
  down: boolean
  /** Hints get lost. */
  deaf: boolean
  /** Another service of the database has their accounts. */
  readonly elsewhere: Set<RelayerId>
  /** The relayers whose accounts are locked, by the session that holds them. */
  readonly accounts: ReadonlyMap<RelayerId, Member>
}

export function openLockServer(): LockServer {
  const held = new Map<Member, Set<Slot>>()
  const sessions = new Map<Member, AbortController>()
  const listeners = new Set<(hint: Hint) => void>()
  const accounts = new Map<RelayerId, Member>()
  const elsewhere = new Set<RelayerId>()
  let members = 0

  function leave(member: Member): void {
    held.delete(member)
    for (const [relayer, holder] of accounts) if (holder === member) accounts.delete(relayer)
    sessions.get(member)?.abort()
  }

  const server: LockServer = {
    held,
    accounts,
    elsewhere,
    down: false,
    deaf: false,
    end: leave,
    locks: {
      async join() {
        if (server.down) throw new Error('the server is down')
        members += 1
        const self = members
        const mine = new Set<Slot>()
        const lost = new AbortController()
        held.set(self, mine)
        sessions.set(self, lost)
        const ask = async () => {
          if (server.down || lost.signal.aborted) throw new Error('the session is over')
        }
        const session: LockSession = {
          lost: lost.signal,
          isAlive: () => !lost.signal.aborted,
          async lock(slots) {
            await ask()
            const got = slots.filter((slot) => ![...held.values()].some((its) => its.has(slot)))
            for (const slot of got) mine.add(slot)
            return got
          },
          async unlock(slots) {
            await ask()
            for (const slot of slots) mine.delete(slot)
          },
          async survey() {
            await ask()
            const members = new Map([...held].map(([member, slots]) => [member, new Set(slots)]))
            return { self, members, barred: new Set() }
          },
          accounts: {
            async lock(relayers) {
              await ask()
              const got = relayers.filter((relayer) => !accounts.has(relayer) && !elsewhere.has(relayer))
              for (const relayer of got) accounts.set(relayer, self)
              return got
            },
            async unlock(relayers) {
              await ask()
              for (const relayer of relayers) accounts.delete(relayer)
            },
          },
          end: async () => leave(self),
        }
        return session
      },
    },
    hints: {
      notify(hint) {
        if (!server.deaf) for (const listener of listeners) listener(hint)
      },
      listen(listener, signal) {
        listeners.add(listener)
        signal.addEventListener('abort', () => listeners.delete(listener), { once: true })
      },
      [Symbol.asyncDispose]: async () => undefined,
    },
  }
  return server
}
