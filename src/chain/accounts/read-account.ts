// Reads an account as of one head, in the fewest calls: its nonce, and the other facts of the inquiry. No step reads a
// fact again that an earlier step read under this head, and some facts stand for many heads.
import type { Address } from '../../domain/ids.ts'
import type { Inquiry, LiveNonce, Observation } from '../../domain/observation.ts'
import type { NetworkProfile } from '../../domain/profile.ts'
import type { Inclusion } from '../../domain/transaction.ts'
import type { Nonce } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import { upToListed } from '../heads/new-hashes.ts'
import type { ReadCanonical } from '../heads/read-canonical.ts'
import type { HeadTracker, TrackedHead } from '../heads/track-head.ts'
import { readReceipts } from '../inclusions/read-receipts.ts'
import type { Unexplained } from '../inclusions/unexplained.ts'
import { type Answer, describeAnswer } from '../nodes/call.ts'
import { toNumber } from '../nodes/decode.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import { type Endpoints, othersThan, type ReadResult } from '../nodes/endpoints.ts'
import { highestPendingNonce, nonceCall } from '../nodes/read-nonce.ts'
import {
  type AccountMemory,
  byNonce,
  type CountRange,
  countsBeside,
  isWithin,
  openMemory,
  type Remembered,
  usableBalance,
  usableCode,
  withInclusions,
} from './account-memory.ts'
import { type CallBeside, callingBeside, choosing } from './call-beside.ts'
import {
  balanceCall,
  balanceIn,
  type Lacking,
  type ReadBalanceAndCode,
  readingBalancesAndCodes,
} from './read-balance-and-code.ts'
import { type LaggedAccounts, readingLagged } from './read-lagged.ts'
import { type Reading, remember } from './remember-account.ts'
import { readingSecondCounts, type SecondCount, type SecondCounts } from './second-count.ts'
import { type Wanted, wantedFrom } from './wanted-of-account.ts'

interface Account {
  readonly nonce: Nonce
  readonly pendingNonce?: Nonce
  readonly secondCount?: Nonce | 'unknown'
  readonly isSecondCountOwn?: true
  readonly doubtedCount?: Nonce
  readonly delegated?: boolean
  /** The inclusions found while reading the nonce. */
  readonly inclusions: ReadonlyMap<Nonce, Inclusion>
}

/** The facts of one read. They stay as they are when other reads learn more about the account. */
interface AccountRead {
  readonly account: Account
  readonly by: Endpoint
  readonly remembered: Remembered
  readonly wanted: Wanted
}

export interface Accounts {
  readonly callsBeside: CallBeside
  /**
   * Rejects with ChainUnavailable when no endpoint returns the nonce. Any other fact that no node returns is missing.
   */
  read(inquiry: Inquiry, at: TrackedHead): Promise<AccountRead>
  /**
   * The nonce of the read, or a lower one by another provider's count, but none below `first`: the first nonce that the read counts as
   * spent and whose spender nothing shows. `isRefuted`: endpoints refuted a spender of it. Undefined as `first`: there is none.
   */
  nonceShown(
    address: Address,
    at: TrackedHead,
    read: AccountRead,
    unshown: { readonly first: Nonce | undefined; readonly isRefuted: boolean },
  ): Promise<Nonce>
  /** The requested balance, less the cost of these inclusions. */
  balanceAfter(
    inquiry: Inquiry,
    at: TrackedHead,
    inclusions: ReadonlyMap<Nonce, Inclusion>,
    read: AccountRead,
  ): Pick<Observation, 'balance' | 'balanceReadAt'>
  /** The account as of some blocks before the head. Absent: the chain counts the balance of its head. */
  readonly lagged?: LaggedAccounts
  /** Announces an account that may be read soon, so that a joint call for others covers it. */
  announce(address: Address): void
}

interface ReadAccounts {
  readonly endpoints: Endpoints
  readonly heads: HeadTracker
  readonly readCanonical: ReadCanonical
  readonly unexplained: Unexplained
  readonly clock: Clock
  readonly profile: Pick<NetworkProfile, 'balanceLagBlocks'>
}

interface Parts {
  readonly readCanonical: ReadCanonical
  readonly readStanding: ReadBalanceAndCode
  /** Evaluated at the time of the call, since other reads may have learned these facts meanwhile. */
  readonly lacking: () => Lacking
  /** The counts that stand though they came with the head. */
  readonly early: CountRange | undefined
}

export function readingAccounts(options: ReadAccounts): Accounts {
  const { endpoints, heads, readCanonical, unexplained, clock } = options
  const { balanceLagBlocks: lag = 0 } = options.profile
  const memory = openMemory()
  const secondCounts = readingSecondCounts(endpoints, clock, heads.reorgs)
  const parts = {
    readCanonical,
    readStanding: readingBalancesAndCodes(memory, heads, clock),
  }
  const wantedAt = choosing(memory, unexplained)

  return {
    callsBeside: callingBeside(memory, heads, clock, wantedAt),
    async read(inquiry, at) {
      // Taken before the reads: after a reorganization in between, their answers must not be reused.
      const [reorgs, now] = [heads.reorgs(), { block: at.head.number, ms: clock.now() }]
      const begunAt = heads.begunAt()
      const lacking = () => wantedAt(inquiry, { ...now, begunAt, newHashes: at.newHashes, reorgs })
      const wanted = lacking()
      const early = countsBeside(inquiry, memory.recall(inquiry.address), reorgs)
      const read = await endpoints.firstAnswer(
        (each) => readFrom(each, inquiry, at, wantedFrom(each, wanted, at), { ...parts, lacking, early }),
        at.by,
      )
      const { by } = read
      const { doubtedCount, value } = await believe(read.value, inquiry, at, by, { heads, memory, secondCounts })
      // Another step may have read the same account meanwhile.
      const remembered = remember(
        memory.recall(inquiry.address),
        value,
        inquiry,
        wanted,
        { ...now, ms: begunAt },
        reorgs,
      )
      memory.keep(inquiry.address, remembered)
      // The next step counts anew.
      if (doubtedCount !== undefined) memory.forgetCount(inquiry.address)
      const { nonce } = value
      const isUnseen = inquiry.pendingNonce && value.pendingNonce === undefined
      const pendingNonce = isUnseen
        ? await highestPendingNonce(othersThan(by, endpoints), inquiry.address)
        : value.pendingNonce
      const second = inquiry.secondCount && ((await secondCounts.read(inquiry.address, at, by)) ?? 'unknown')
      // One of the two is false, so the next step counts again. No block may come before that.
      if (second && second !== 'unknown' && second.nonce < nonce) memory.forgetCount(inquiry.address)
      const code = usableCode(remembered, now) ?? (wanted.code ? undefined : remembered.code)
      return {
        by,
        remembered,
        wanted,
        account: {
          nonce,
          ...(pendingNonce !== undefined && { pendingNonce }),
          ...secondOf(second),
          ...(doubtedCount !== undefined && { doubtedCount }),
          ...(code && { delegated: code.delegated }),
          inclusions: value.inclusions,
        },
      }
    },
    nonceShown: showingNonces(memory, secondCounts),
    balanceAfter({ address, live, balance: requested }, { head }, inclusions, { remembered, wanted }) {
      const last = memory.recall(address)
      const reorgs = heads.reorgs()
      if (last) memory.keep(address, withInclusions(last, live, inclusions, reorgs))
      const charged = withInclusions(remembered, live, inclusions, reorgs)
      if (!requested || !charged.balance) return {}
      const stands = !wanted.balance && !charged.shared
      const balance = stands
        ? charged.balance.wei
        : usableBalance(requested, charged, { block: head.number, ms: clock.now() })
      return balance === undefined ? {} : { balance, balanceReadAt: charged.balance.readAt.block }
    },
    ...(lag > 0 && { lagged: readingLagged(endpoints, lag) }),
    announce: memory.announce,
  }
}

function secondOf(second: SecondCount | 'unknown' | undefined): Pick<Account, 'secondCount' | 'isSecondCountOwn'> {
  if (second === undefined || second === 'unknown') return second ? { secondCount: second } : {}
  return { secondCount: second.nonce, ...(second.by === 'same' && { isSecondCountOwn: true }) }
}

function showingNonces(memory: AccountMemory, secondCounts: SecondCounts): Accounts['nonceShown'] {
  return async (address, at, { account, by }, { first, isRefuted }) => {
    if (first === undefined) secondCounts.allShown(address)
    const other = first === undefined ? undefined : await secondCounts.ofUnshown(address, at, by, isRefuted)
    if (first === undefined || other === undefined || other >= account.nonce) return account.nonce
    // Until both agree, each step counts anew.
    memory.forgetCount(address)
    return Math.max(first, other)
  }
}

interface Beliefs {
  readonly heads: Pick<HeadTracker, 'reorgs'>
  readonly memory: Pick<AccountMemory, 'recall'>
  readonly secondCounts: SecondCounts
}

interface Believed {
  readonly value: Reading
  /** The count that nothing explains and nobody has confirmed yet. */
  readonly doubtedCount?: Nonce
}

/** The reading to believe: until a count that nothing explains is confirmed, the explained one stands. */
async function believe(
  reading: Reading,
  inquiry: Inquiry,
  at: TrackedHead,
  by: Endpoint,
  { heads, memory, secondCounts }: Beliefs,
): Promise<Believed> {
  const { address } = inquiry
  const known = memory.recall(address)?.count
  const before = known?.reorgs === heads.reorgs() ? known.nonce : secondCounts.explainedAtFirst(address)
  const below = explainedBelow(inquiry, before)
  if (reading.nonce <= below || reading.nonce === known?.nonce) {
    secondCounts.explained(address)
    return { value: reading }
  }
  // Its account may have any history before the relayer's first nonce.
  if (below === 0) return { value: { ...reading, nonce: await secondCounts.lower(address, at, by, reading.nonce) } }
  const confirmed = await secondCounts.confirm(address, at, by, { count: reading.nonce, below })
  if (confirmed !== 'doubted') return { value: { ...reading, nonce: confirmed } }
  return { value: { ...reading, nonce: below }, doubtedCount: reading.nonce }
}

/**
 * All that our transactions can have spent, and the proven ones of others. Nonces are bound from the count on, so a false one above
 * would leave a gap.
 */
function explainedBelow({ spentBelow, explainedBelow: proven = 0, live }: Inquiry, before: Nonce): Nonce {
  return Math.max(spentBelow, proven, before, ...live.map((each) => each.nonce + 1))
}

/** Reads all facts in one batch. Only the nonce is indispensable. */
async function readFrom(
  endpoint: Endpoint,
  inquiry: Inquiry,
  at: TrackedHead,
  wanted: Wanted,
  { readCanonical, readStanding, lacking, early }: Parts,
): Promise<ReadResult<Reading>> {
  const { address } = inquiry
  const countNow = () => endpoint.call(nonceCall(address, at.head.number))
  // Most steps find the head that the last one has seen, and look for no hash.
  const isKnown = wanted.nonce === 'known' || wanted.nonce === 'unlisted'
  const listed = isKnown
    ? []
    : upToListed(inquiry.live, at.newHashes).filter(({ nonce }) => nonce >= (wanted.known ?? 0))
  const count = () => {
    const beside = early && at.beside?.(endpoint, nonceCall(address, 'latest'))
    if (!beside) return countNow()
    // One backend may show the head, and another one behind it the count.
    const from = Math.max(early.from, ...listed.map(({ nonce }) => nonce + 1))
    return beside.then((answer) => (isWithin({ ...early, from }, numberIn(answer)) ? answer : countNow()))
  }
  const standingNow = async () => {
    const mayStand = early && !wanted.code && inquiry.balance !== undefined
    const beside = mayStand ? at.beside?.(endpoint, balanceCall(address, 'latest')) : undefined
    const balance = beside && balanceIn(await beside)
    if (balance !== undefined) return { balance }
    return wanted.balance || wanted.code ? readStanding(endpoint, address, at.head.number, lacking) : undefined
  }
  const [counted, pending, standing, receipts] = await Promise.all([
    wanted.nonce === 'count' ? count() : undefined,
    inquiry.pendingNonce ? endpoint.call(nonceCall(address, 'pending')) : undefined,
    standingNow(),
    receiptsFor(wanted, endpoint, inquiry.live, listed, at, readCanonical),
  ])
  const pendingNonce = numberIn(pending)
  // The receipts are not there yet, or the node listed a false hash.
  const isUnproven = wanted.nonce === 'listed' && !listed.every(({ nonce }) => receipts?.has(nonce))
  const known = isUnproven ? undefined : nonceIn(wanted, counted, pendingNonce, receipts, inquiry)
  // This node does not count its pool, or counts transactions that are not ours.
  const isUncounted = known === undefined && wanted.nonce === 'pending'
  const last = isUncounted || isUnproven ? await count() : counted
  const nonce = known ?? numberIn(last)
  if (nonce === undefined) return { failed: last ? describeAnswer(last) : 'no answer' }
  // The count may soon rise if a foreign transaction waits in the pool.
  const mayRise = wanted.nonce === 'pending' && pendingNonce !== undefined && pendingNonce > nonce
  return {
    value: {
      nonce,
      // If the pool's count equals the proven nonce, nothing is pending, so it is also the head's count.
      counted: !mayRise && (last !== undefined || (wanted.nonce === 'pending' && pendingNonce === inquiry.spentBelow)),
      ...(pendingNonce !== undefined && { pendingNonce }),
      ...standing,
      inclusions: receipts ?? new Map(),
    },
  }
}

function nonceIn(
  { nonce, known }: Wanted,
  counted: Answer | undefined,
  pendingNonce: Nonce | undefined,
  receipts: ReadonlyMap<Nonce, Inclusion> | undefined,
  { spentBelow }: Inquiry,
): Nonce | undefined {
  switch (nonce) {
    case 'count':
      return numberIn(counted)
    case 'pending':
      // A transaction in the pool may never be mined, so the block is counted too if the pool counts more than is proven. A
      // lower count comes from a node that lags.
      return pendingNonce !== undefined && pendingNonce <= spentBelow ? pendingNonce : undefined
    case 'receipts':
    case 'listed':
    case 'unlisted':
    case 'known':
      return Math.max(known ?? 0, ...[...(receipts?.keys() ?? [])].map((spent) => spent + 1))
  }
}

async function receiptsFor(
  { nonce }: Wanted,
  endpoint: Endpoint,
  live: readonly LiveNonce[],
  listed: readonly LiveNonce[],
  at: TrackedHead,
  readCanonical: ReadCanonical,
): Promise<ReadonlyMap<Nonce, Inclusion> | undefined> {
  if (nonce === 'receipts') return receiptsInOrder(endpoint, live, at, readCanonical)
  if (nonce !== 'listed') return undefined
  return (await readReceipts(endpoint, readCanonical, byNonce(listed), at)).inclusions
}

/** Nonces are spent in order: where the first is still open, the receipt of the second is not read. */
async function receiptsInOrder(
  endpoint: Endpoint,
  live: readonly LiveNonce[],
  at: TrackedHead,
  readCanonical: ReadCanonical,
): Promise<ReadonlyMap<Nonce, Inclusion>> {
  const found = new Map<Nonce, Inclusion>()
  for (const one of byNonce(live)) {
    const { inclusions } = await readReceipts(endpoint, readCanonical, [one], at)
    const inclusion = inclusions.get(one.nonce)
    if (!inclusion) break
    found.set(one.nonce, inclusion)
  }
  return found
}

function numberIn(answer: Answer | undefined): number | undefined {
  return answer?.kind === 'value' ? toNumber(answer.value) : undefined
}
