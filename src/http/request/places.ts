// Places for what lasts, such as streams, waits and long reads: so many for each API key, and so many for all of them.
import { RescindError } from '../../domain/errors.ts'
import type { ApiKeyId } from '../../domain/ids.ts'
import { nextTurn } from '../../ops/clock.ts'

/** Gives a place back. */
type Leave = () => void

interface Places {
  /** Takes a place. Returns undefined when all of the key's places are taken, or all there are. */
  take(key: ApiKeyId): Leave | undefined
  /** Takes a place as soon as there is one. The keys that wait take turns. */
  wait(key: ApiKeyId): Promise<Leave>
}

export function openPlaces(perKeyMax: number, max = Number.POSITIVE_INFINITY): Places {
  const taken = new Map<ApiKeyId, number>()
  /** Whose turn is next comes first. */
  const waiting = new Map<ApiKeyId, ((leave: Leave) => void)[]>()
  let all = 0

  const isRoom = (key: ApiKeyId) => all < max && (taken.get(key) ?? 0) < perKeyMax

  function occupy(key: ApiKeyId): Leave {
    taken.set(key, (taken.get(key) ?? 0) + 1)
    all += 1
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      all -= 1
      const left = (taken.get(key) ?? 0) - 1
      if (left > 0) taken.set(key, left)
      else taken.delete(key)
      admitNext()
    }
  }

  function admitNext(): void {
    for (const [key, [next, ...others]] of waiting) {
      if (!next || !isRoom(key)) continue
      waiting.delete(key)
      if (others.length > 0) waiting.set(key, others)
      next(occupy(key))
      return
    }
  }

  const take = (key: ApiKeyId) => (isRoom(key) ? occupy(key) : undefined)
  return {
    take,
    async wait(key) {
      const leave = take(key)
      if (leave) return leave
      return new Promise((resolve) => waiting.set(key, [...(waiting.get(key) ?? []), resolve]))
    },
  }
}

export type Turns = Pick<Places, 'wait'>

/** Node accepts one connection in a turn of the event loop, so between two pages the connections of many others come through. */
const turnsBetween = 32

async function severalTurns(): Promise<void> {
  for (let left = turnsBetween; left > 0; left -= 1) await nextTurn()
}

/** Places whose holders begin one after the other: the requests that arrived meanwhile come between two of them. */
export function openTurns(perKeyMax: number, max: number): Turns {
  const places = openPlaces(perKeyMax, max)
  let begun = Promise.resolve()
  return {
    async wait(key) {
      const leave = await places.wait(key)
      begun = begun.then(severalTurns)
      await begun
      return leave
    },
  }
}

/** Runs a read, or throws TOO_MANY_READS. */
export type LimitedReads = <T>(key: ApiKeyId, read: () => Promise<T>) => Promise<T>

/** `what` names the reads in the refusal. Those beyond the limits are refused: nobody waits for many of them. */
export function limitReads(what: string, perKeyMax: number, max?: number): LimitedReads {
  const places = openPlaces(perKeyMax, max)
  return (key, read) => {
    const leave = places.take(key)
    if (leave) return read().finally(leave)
    const ofAll = max === undefined ? '' : `, or all keys have ${max}`
    const message = `this key has ${perKeyMax} ${what} under way${ofAll}; send it again when one is answered`
    throw new RescindError('TOO_MANY_READS', message)
  }
}
