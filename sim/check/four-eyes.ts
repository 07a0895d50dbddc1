// Four eyes, watched from outside: by the keys of all requests, no payload reaches a node that one key alone stands behind.
import type { ApiKeyId } from '../../src/domain/ids.ts'
import { type SimTransaction, tagOf } from '../chain/transaction.ts'
import type { Row } from './row.ts'

export interface FourEyesChecks {
  /** A key requests that this payload is set, answered or not. */
  sets(tag: number, key: ApiKeyId): void
  /** A key requests the release of this payload, by the digest that it was shown. */
  approves(tag: number, key: ApiKeyId): void
  changed(row: Row): void
  /** A node receives it. */
  broadcast(transaction: SimTransaction): void
}

export function watchFourEyes(isOn: boolean, fail: (what: string) => void): FourEyesChecks {
  const setters = new Map<number, Set<ApiKeyId>>()
  const approvers = new Map<number, Set<ApiKeyId>>()
  const add = (to: Map<number, Set<ApiKeyId>>, tag: number, key: ApiKeyId) => {
    to.set(tag, (to.get(tag) ?? new Set()).add(key))
  }

  function hasTwoKeys(tag: number): boolean {
    const [set = new Set(), approved = new Set()] = [setters.get(tag), approvers.get(tag)]
    return [...set].some((setter) => [...approved].some((approver) => approver !== setter))
  }

  return {
    sets: (tag, key) => add(setters, tag, key),
    approves: (tag, key) => add(approvers, tag, key),
    changed({ id, origin, phase, four_eyes: fourEyes, data, canceled_at: canceledAt }) {
      if (!isOn || origin !== 'client') return
      const name = id.slice(-6)
      if (fourEyes === null) return fail(`${name} is not under four eyes`)
      // The no-op of a cancellation needs no second key.
      if (canceledAt !== null || phase === 'held' || phase === 'dropped') return
      const tag = tagOf({ data: data as `0x${string}` }) ?? -1
      if (!hasTwoKeys(tag)) fail(`${name} is ${phase}, and one key alone stands behind payload ${tag}`)
    },
    broadcast(transaction) {
      const tag = tagOf({ data: transaction.data })
      if (!isOn || tag === undefined) return
      if (!hasTwoKeys(tag)) fail(`a node received payload ${tag}, and one key alone stands behind it`)
    },
  }
}
