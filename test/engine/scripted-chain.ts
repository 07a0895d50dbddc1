// The chain port as a script: it returns the test's answers, and records every read and broadcast.
import { type BroadcastRequest, type Chain, ChainUnavailable, type SpendingShown } from '../../src/chain/chain.ts'
import type { BroadcastOutcome } from '../../src/domain/attempt.ts'
import type { Address, Hash } from '../../src/domain/ids.ts'
import type { Inquiry, Observation } from '../../src/domain/observation.ts'
import type { Nonce } from '../../src/domain/units.ts'
import { someHead, someObservation } from '../domain/some.ts'

export interface ScriptedChain extends Chain {
  /** What the next observation says; undefined: no node answers. */
  view: Observation | undefined
  answer: (request: BroadcastRequest) => BroadcastOutcome
  /** What a look for foreign uses of the key reads. Undefined: no node has the count. */
  confirmed: { readonly count: Nonce; readonly spenders?: ReadonlyMap<Nonce, SpendingShown> } | undefined
  /** Run before an observation, or before a broadcast, is answered. */
  whileObserving: () => Promise<void>
  whileBroadcasting: () => Promise<void>
  readonly announced: Set<Address>
  readonly inquiries: Inquiry[]
  readonly broadcasts: BroadcastRequest[]
  /** How many follow the head. */
  readonly followers: number
  newHead(): void
}

export function scriptedChain(): ScriptedChain {
  const followers = new Set<() => void>()
  const chain: ScriptedChain = {
    view: someObservation(),
    answer: () => ({ kind: 'accepted' }),
    confirmed: undefined,
    whileObserving: async () => {},
    whileBroadcasting: async () => {},
    announced: new Set(),
    inquiries: [],
    broadcasts: [],
    get followers() {
      return followers.size
    },
    newHead: () => {
      for (const ring of followers) ring()
    },
    async observe(inquiry) {
      chain.inquiries.push(inquiry)
      await chain.whileObserving()
      if (!chain.view) throw new ChainUnavailable('no endpoint answers')
      // Nothing was before, unless the view says so.
      return {
        ...chain.view,
        ...(inquiry.lostHistory && { lostHistory: chain.view.lostHistory ?? { below: inquiry.lostHistory.from } }),
      }
    },
    announce: (address) => chain.announced.add(address),
    async broadcast(requests) {
      chain.broadcasts.push(...requests)
      await chain.whileBroadcasting()
      return new Map<Hash, BroadcastOutcome>(requests.map((request) => [request.hash, chain.answer(request)]))
    },
    check: async () => (chain.view ? ['ok'] : ['noAnswer']),
    anchorReplaced: async () => undefined,
    shownMake: async () => undefined,
    collectsTips: async () => undefined,
    split: () => [],
    singleWitness: () => undefined,
    pooled: async () => undefined,
    confirmedCount: async () => chain.confirmed && { count: chain.confirmed.count, isByTwo: true },
    spending: async (_, nonce) => chain.confirmed?.spenders?.get(nonce),
    wrongChains: () => [],
    nodes: () => [],
    lookAtNodes: async () => undefined,
    gasFigures: () => chain.view?.gasFigures ?? {},
    price: () => undefined,
    market: () => undefined,
    async balance() {
      return chain.view?.balance ?? 0n
    },
    async forward() {
      throw new Error('no client reads here')
    },
    async read() {
      throw new ChainUnavailable('no client calls this')
    },
    follow(onHead, signal) {
      if (signal.aborted) return
      const ring = () => onHead(someHead)
      followers.add(ring)
      signal.addEventListener('abort', () => followers.delete(ring))
    },
    async close() {},
  }
  return chain
}
