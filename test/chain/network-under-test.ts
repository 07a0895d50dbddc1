// Opens the production chain port over given URLs, and what its tests need besides: signing, inquiries, a log to read.

import { keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { BroadcastRequest, Chain } from '../../src/chain/chain.ts'
import type { AnchorMemory } from '../../src/chain/heads/remember-anchor.ts'
import { type NetworkOptions, openNetwork } from '../../src/chain/network.ts'
import type { Anchor } from '../../src/domain/anchor.ts'
import { osakaRules } from '../../src/domain/gas-figures.ts'
import type { Address, Hash, Hex } from '../../src/domain/ids.ts'
import type { Inquiry } from '../../src/domain/observation.ts'
import { ethereumProfile } from '../../src/domain/profile.ts'
import type { AccessList } from '../../src/domain/transaction.ts'
import { systemClock } from '../../src/ops/clock.ts'
import { noChainMetrics } from '../../src/ops/metrics.ts'
import { type LogLine, loggerInto } from '../support/recorded-log.ts'

export interface NetworkUnderTest extends AsyncDisposable {
  readonly chain: Chain
  readonly log: readonly LogLine[]
  /** Every call so far, as counted. */
  readonly calls: readonly { readonly method: string; readonly endpoint: number }[]
  /** How often a method was called, by all or by one endpoint. */
  count(method: string, endpoint?: number): number
  forget(): void
}

/** Heads are read anew by every observation unless somebody follows. */
export function networkOver(urls: readonly string[], overrides: Partial<NetworkOptions> = {}): NetworkUnderTest {
  const log: LogLine[] = []
  let calls: { method: string; endpoint: number }[] = []
  const chain = openNetwork({
    endpoints: urls.map((url) => ({ url, weight: 1 })),
    chainId: 31_337,
    averageBlocktimeMs: 100,
    eip1559: true,
    // They are read where a test says so.
    profile: { ...ethereumProfile, gasRules: osakaRules },
    timeoutMs: 10_000,
    anchorMemory: ownAnchor(),
    contradictionMemory: { save: async () => undefined },
    clock: systemClock,
    logger: loggerInto(log),
    metrics: {
      ...noChainMetrics,
      called: (method, endpoint) => void calls.push({ method, endpoint }),
    },
    ...overrides,
  })
  return {
    chain,
    log,
    get calls() {
      return calls
    },
    count: (method, endpoint) =>
      calls.filter((call) => call.method === method && (endpoint === undefined || call.endpoint === endpoint)).length,
    forget: () => {
      calls = []
    },
    [Symbol.asyncDispose]: () => chain.close(),
  }
}

function ownAnchor(): AnchorMemory {
  let stored: Anchor | undefined
  return {
    load: async () => stored,
    async save(next) {
      stored = next
      return stored
    },
    release: async () => false,
  }
}

export function inquiryOf(address: Address, overrides: Partial<Inquiry> = {}): Inquiry {
  return {
    address,
    nonce: 'now',
    spentBelow: 0,
    live: [],
    inclusionBlocks: [],
    estimates: [],
    market: false,
    delegation: false,
    pendingNonce: false,
    ...overrides,
  }
}

interface ToSign {
  readonly nonce: number
  readonly to?: Address
  readonly value?: bigint
  readonly gas?: bigint
  readonly maxFeePerGas?: bigint
  readonly maxPriorityFeePerGas?: bigint
  readonly data?: Hex
  readonly accessList?: AccessList
  readonly reach?: BroadcastRequest['reach']
}

/** For endpoints with a silent one among them: the others answer within it, also while the machine stands still for a moment. */
export const patienceMs = 3_000

const gwei = 1_000_000_000n

export async function signedBy(key: Hex, wanted: ToSign): Promise<BroadcastRequest> {
  const account = privateKeyToAccount(key)
  const raw = await account.signTransaction({
    type: 'eip1559',
    chainId: 31_337,
    nonce: wanted.nonce,
    to: wanted.to ?? account.address,
    value: wanted.value ?? 0n,
    gas: wanted.gas ?? 21_000n,
    maxFeePerGas: wanted.maxFeePerGas ?? 20n * gwei,
    maxPriorityFeePerGas: wanted.maxPriorityFeePerGas ?? gwei,
    ...(wanted.data !== undefined && { data: wanted.data }),
    ...(wanted.accessList && { accessList: wanted.accessList }),
  })
  return { hash: keccak256(raw) as Hash, raw, reach: wanted.reach ?? 'one' }
}

/** Looks until `condition` holds; fails after half a minute. */
export async function eventually(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const until = systemClock.now() + 30_000
  while (!(await condition())) {
    if (systemClock.now() > until) throw new Error(`never happened: ${what}`)
    await systemClock.sleep(10)
  }
}
