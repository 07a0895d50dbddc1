// Whether an endpoint serves the network's chain: verified at first use, and again whenever that is in doubt, since a
// gateway may route to another chain for a while. Such an endpoint is verified again after a short pause.
// With the first verification the client's name is read: it gives the rule by which its pool takes replacements.
import type { Anchor } from '../../domain/anchor.ts'
import type { ContradictionQuestion, NoteContradiction } from '../../domain/contradiction.ts'
import { type ReplacementRule, strictestRule } from '../../domain/fees.ts'
import type { Hash } from '../../domain/ids.ts'
import type { WrongChainFacts } from '../../domain/node-report.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Logger } from '../../ops/logger.ts'
import { readHashAt } from './block-call.ts'
import { type Answer, describeAnswer, type SendCall } from './call.ts'
import { toNumber } from './decode.ts'

/** `showsAnchor`: as examined. */
export type Confirmation = { readonly unfit: string } | { readonly showsAnchor: boolean }

export interface Serving {
  /** Undefined when the endpoint serves this chain; otherwise why it can't be used, now or ever. Never rejects. */
  ready(): Promise<string | undefined>
  /** Reads the chain id and the block of the anchor anew. Simultaneous callers share the calls. Never rejects. */
  confirm(): Promise<Confirmation>
  /** Why it can't be used, while it serves another chain. */
  wrong(): string | undefined
  /** The figures that showed the other chain. */
  wrongFacts(): WrongChainFacts | undefined
  /** Whether it was found on another chain by the anchor. */
  deniesAnchor(): boolean
  /** When the endpoint is verified again, by `clock.elapsed()`, while it serves another chain. */
  verifiedAgainAt(): number
  /** Verifies it at once if it serves another chain: an operator has replaced the anchor. */
  verifyAgain(): Promise<void>
  /** The replacement rule of the endpoint's client, once verified. */
  rule(): ReplacementRule | undefined
  close(): void
}

/** The network's anchor, for one endpoint. */
export interface ServedAnchor {
  /** Rejects when the store does not answer. */
  known(): Promise<Anchor | undefined>
  /** Reads the anchor anew: another replica, or an operator, may have replaced it. Rejects as `known` does. */
  reload(): Promise<Anchor | undefined>
  /** Called when the endpoint denies the anchor. */
  denied(): void
  /** Words for an operator, after the denial. */
  readonly remedy: string
}

interface ServingOptions {
  readonly call: SendCall
  /** The endpoint's place in the configuration, for the log. */
  readonly index: number
  readonly chainId: number
  readonly anchor: ServedAnchor
  readonly clock: Clock
  readonly logger: Logger
  /** Called when the endpoint begins to serve another chain, and when it serves this one again. */
  readonly changed: (isWrong: boolean) => void
  readonly note: NoteContradiction
}

/** The pause doubles each time, since an endpoint may also be configured wrongly, for ever. */
const pauseMs = { first: 1_000, most: 30_000 }

interface Wrong {
  readonly reason: string
  readonly shown: WrongChainFacts
  readonly isByAnchor: boolean
  readonly pauseMs: number
  readonly until: number
}

export function watchServing({ call, index, chainId, anchor, clock, logger, changed, note }: ServingOptions): Serving {
  let rule: ReplacementRule | undefined
  let verified: Promise<string | undefined> | undefined
  let confirming: Promise<Confirmation> | undefined
  let wrong: Wrong | undefined
  const closing = new AbortController()

  /** A node that does not answer is tried again at the next use. */
  async function verify(): Promise<string | undefined> {
    const version = onceCalled(call, 'web3_clientVersion')
    const found = await judge(version.begin)
    if ('unfit' in found) {
      verified = undefined
      if (wrong && found.unfit !== wrong.reason) wrong = { ...wrong, until: clock.elapsed() + wrong.pauseMs }
      return found.unfit
    }
    rule = replacementRuleOf(await version.value())
    if (wrong) {
      wrong = undefined
      logger.info({ endpoint: index }, 'an endpoint serves its chain again')
      changed(false)
    }
    return undefined
  }

  async function judge(alongside: () => void = () => undefined): Promise<Confirmation> {
    const block = await (wrong ? anchor.reload() : anchor.known()).catch(() => 'unread' as const)
    if (block === 'unread') return { unfit: 'the anchor of its network could not be read from the database' }
    const examined = await examine(call, chainId, block, alongside)
    if (examined.kind === 'noAnswer') return { unfit: examined.message }
    if (examined.kind === 'sameChain') return { showsAnchor: examined.showsAnchor }
    if (examined.kind === 'otherId') return { unfit: goWrong(denialOf(examined, chainId)) }
    if (await isReplaced(anchor, examined.anchor)) return judge()
    const unfit = goWrong(denialOf(examined, chainId, anchor.remedy))
    anchor.denied()
    return { unfit }
  }

  function goWrong(denial: Denial): string {
    const before = wrong
    wrong = wrongFor(before, denial, clock.elapsed())
    verified = undefined
    changed(true)
    if (before) return denial.reason
    report(denial, index, { logger, note })
    void verifyUntilRight(closing)
    return denial.reason
  }

  /** Verifies until the chain is right, also on an idle network, so that an operator sees the end. */
  async function verifyUntilRight({ signal }: AbortController): Promise<void> {
    while (wrong && !signal.aborted) {
      await clock.sleep(Math.max(0, wrong.until - clock.elapsed()), signal)
      if (!signal.aborted) await ready()
    }
  }

  function ready(): Promise<string | undefined> {
    if (!verified && wrong && clock.elapsed() < wrong.until) return Promise.resolve(wrong.reason)
    verified ??= verify()
    return verified
  }

  return {
    ready,
    async confirm() {
      const unfit = wrong && (await ready())
      if (unfit !== undefined) return { unfit }
      confirming ??= judge().finally(() => {
        confirming = undefined
      })
      return confirming
    },
    ...{ wrong: () => wrong?.reason, wrongFacts: () => wrong?.shown },
    deniesAnchor: () => wrong?.isByAnchor === true,
    verifiedAgainAt: () => wrong?.until ?? Number.NEGATIVE_INFINITY,
    async verifyAgain() {
      if (wrong) wrong = { ...wrong, pauseMs: pauseMs.first, until: clock.elapsed() }
      await ready()
    },
    rule: () => rule,
    close: () => closing.abort(),
  }
}

/** A call that leaves later, together with others. */
function onceCalled(call: SendCall, method: string) {
  let answer: Promise<Answer> | undefined
  return {
    begin() {
      answer = call({ method, params: [] })
    },
    async value(): Promise<unknown> {
      const answered = await answer
      return answered?.kind === 'value' ? answered.value : undefined
    },
  }
}

async function isReplaced({ reload }: ServedAnchor, before: Anchor): Promise<boolean> {
  const stored = await reload().catch(() => before)
  return stored?.hash !== before.hash
}

function wrongFor(before: Wrong | undefined, { reason, shown, isByAnchor }: Denial, elapsedMs: number): Wrong {
  const pause = before ? Math.min(pauseMs.most, 2 * before.pauseMs) : pauseMs.first
  return { reason, shown, isByAnchor, pauseMs: pause, until: elapsedMs + pause }
}

function report({ facts, question, answer }: Denial, index: number, to: Pick<ServingOptions, 'logger' | 'note'>): void {
  to.logger.error({ endpoint: index, ...facts }, 'an endpoint serves another chain and is not used')
  to.note({ condition: 'wrong_chain', question, answers: [{ endpoint: index, answer: JSON.stringify(answer) }] })
}

interface Denial extends Pick<Wrong, 'reason' | 'shown' | 'isByAnchor'> {
  /** The facts for the log. */
  readonly facts: object
  readonly question: ContradictionQuestion
  readonly answer: object
}

function denialOf(
  examined: Extract<Examined, { kind: 'otherId' | 'otherBlock' }>,
  chainId: number,
  remedy = '',
): Denial {
  if (examined.kind === 'otherId') {
    const { served } = examined
    const reason = `serves chain ${served}, not ${chainId}`
    const facts = { expected: chainId, served }
    const seen = { expectedChain: chainId, servedChain: served }
    return { reason, shown: seen, isByAnchor: false, facts, question: { chainId }, answer: { chain_id: served } }
  }
  const { shown, anchor } = examined
  const { number, hash } = anchor
  return {
    reason: `shows ${shown} as block ${number}, and the anchor of the network is ${hash}${remedy}`,
    shown: { block: number, expectedHash: hash, shownHash: shown },
    ...{ isByAnchor: true, facts: { anchor: number, expected: hash, shown } },
    question: { block: { number, hash } },
    answer: { block: number, block_hash: shown },
  }
}

/**
 * The chain that an endpoint shows, by its id and by the block at the height of the anchor. `showsAnchor`: false where the network has an
 * anchor, and the endpoint shows no block there: it may be pruned.
 */
type Examined =
  | { readonly kind: 'sameChain'; readonly showsAnchor: boolean }
  | { readonly kind: 'noAnswer'; readonly message: string }
  | { readonly kind: 'otherId'; readonly served: number }
  | { readonly kind: 'otherBlock'; readonly shown: Hash; readonly anchor: Anchor }

/**
 * Examines an endpoint: only another chain id or another hash is a denial. The calls leave in one request, with those of
 * `alongside`.
 */
async function examine(
  call: SendCall,
  chainId: number,
  anchor: Anchor | undefined,
  alongside: () => void,
): Promise<Examined> {
  const calls = [call({ method: 'eth_chainId', params: [] }), anchor && readHashAt(call, anchor.number)] as const
  alongside()
  const [id, shown] = await Promise.all(calls)
  const served = id.kind === 'value' ? toNumber(id.value) : undefined
  if (served === undefined) return { kind: 'noAnswer', message: describeAnswer(id) }
  if (served !== chainId) return { kind: 'otherId', served }
  if (anchor && shown !== undefined && shown !== anchor.hash) return { kind: 'otherBlock', shown, anchor }
  return { kind: 'sameChain', showsAnchor: !anchor || shown !== undefined }
}

const fields: ReplacementRule = { measure: 'fields', percent: 10n }

/**
 * Profiles by the first part of `web3_clientVersion`, in lower case. geth `core/txpool/legacypool/list.go`, reth
 * `crates/transaction-pool`, Erigon `txnprovider/txpool/pool.go` and Nethermind's `CompareReplacedTxByFee` compare fee
 * cap and tip separately; anvil and Hardhat demand no more. Besu compares effective prices: the strictest rule.
 */
const rules: Readonly<Record<string, ReplacementRule>> = {
  geth: fields,
  reth: fields,
  erigon: fields,
  nethermind: fields,
  anvil: fields,
  hardhatnetwork: fields,
  besu: strictestRule,
}

/**
 * The rule by which a client's pool compares a replacement with the transaction it holds, from the client's own name. `clientVersion`: as
 * the node returns it, for example `Geth/v1.17.0-stable/linux-amd64/go1.25`.
 */
export function replacementRuleOf(clientVersion: unknown): ReplacementRule {
  if (typeof clientVersion !== 'string') return strictestRule
  const name = clientVersion.split('/')[0]?.trim().toLowerCase() ?? ''
  return Object.hasOwn(rules, name) ? (rules[name] ?? strictestRule) : strictestRule
}
