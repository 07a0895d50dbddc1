// What a NOTIFY carries: hints gathered into payloads that the server takes, and read again from them. Does nothing by itself.
import type { RelayerId } from '../../domain/ids.ts'
import type { Hint } from '../hints.ts'

/** A payload is shorter than 8,000 bytes. */
const payloadBytesMax = 7_000
/** Relayers that wait to be named in a payload: of more, the next look finds out. */
const relayersMax = 10_000
/** Allowances in one payload, those first that were used most. */
const allowancesMax = 64

interface Message {
  readonly work?: readonly RelayerId[]
  readonly locks?: true
  readonly estate?: true
  readonly spent?: Spent
}

interface Spent {
  readonly by: string
  readonly amounts: Readonly<Record<string, number>>
}

interface PendingHints {
  /** A hint that says the same as one that waits goes out with it. */
  add(hint: Hint): void
  isEmpty(): boolean
  /** Removes and returns as many hints as one payload holds. */
  take(): string
}

export function openPendingHints(): PendingHints {
  let work = new Set<RelayerId>()
  let kinds = new Set<'locks' | 'registry'>()
  let spent: Spent | undefined
  return {
    add(hint) {
      if (hint.kind === 'spent') spent = spentIn(hint)
      else if (hint.kind !== 'work') kinds.add(hint.kind)
      else if (work.size < relayersMax) work.add(hint.relayer)
    },
    isEmpty: () => work.size === 0 && kinds.size === 0 && !spent,
    take() {
      const [named, rest] = spent ? [[], [...work]] : split([...work])
      const message: Message = {
        ...(named.length > 0 && { work: named }),
        ...(kinds.has('locks') && { locks: true as const }),
        ...(kinds.has('registry') && { estate: true as const }),
        ...(spent && { spent }),
      }
      work = new Set(rest)
      kinds = new Set()
      spent = undefined
      return JSON.stringify(message)
    },
  }
}

/** The hints that a replica may have missed before it began to listen. */
export const missedHints: readonly Hint[] = [{ kind: 'locks' }, { kind: 'registry' }]

function spentIn({ by, amounts }: Extract<Hint, { kind: 'spent' }>): Spent {
  const most = [...amounts].sort(([, one], [, other]) => other - one).slice(0, allowancesMax)
  return { by, amounts: Object.fromEntries(most) }
}

/** Splits the relayers into as many as one payload holds, and the others. */
function split(relayers: readonly RelayerId[]): [readonly RelayerId[], readonly RelayerId[]] {
  let bytes = 0
  const count = relayers.findIndex((relayer) => {
    bytes += Buffer.byteLength(JSON.stringify(relayer)) + 1
    return bytes > payloadBytesMax
  })
  return count === -1 ? [relayers, []] : [relayers.slice(0, Math.max(1, count)), relayers.slice(Math.max(1, count))]
}

/** Hints in a message that a replica sealed. A message of another version may be anything, and is no reason to fail. */
export function hintsIn(payload: string): readonly Hint[] {
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
