// The messages between replicas as the release before their MACs wrote and read them, word for word.
import type { RelayerId } from '../../src/domain/ids.ts'
import type { Hint } from '../../src/store/hints.ts'

interface Message {
  readonly work?: readonly RelayerId[]
  readonly locks?: true
  readonly estate?: true
  readonly spent?: { readonly by: string; readonly amounts: Readonly<Record<string, number>> }
}

export function hintsOfEarlierRelease(payload: string): readonly Hint[] {
  try {
    const { work = [], locks, estate, spent } = JSON.parse(payload) as Message
    return [
      ...work.map((relayer): Hint => ({ kind: 'work', relayer })),
      ...(locks ? [{ kind: 'locks' } as const] : []),
      ...(estate ? [{ kind: 'registry' } as const] : []),
      ...(spent ? [{ ...spent, kind: 'spent', amounts: new Map(Object.entries(spent.amounts)) } as const] : []),
    ]
  } catch {
    return []
  }
}

/** That relayers have work, and that locks and the registry changed. */
export function messageOfEarlierRelease(work: readonly string[]): string {
  return JSON.stringify({ work, locks: true, estate: true })
}
