// Whether an endpoint serves the network's chain: verified at first use, and again whenever that is in doubt, since a
// gateway may route to another chain for a while. Such an endpoint is verified again after a short pause.
import type { ReplacementRule } from '../../domain/fees.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Logger } from '../../ops/logger.ts'
import { describeAnswer, type SendCall } from './call.ts'
import { replacementRuleOf } from './client-profile.ts'
import { toNumber } from './decode.ts'

export interface Serving {
  /** Undefined when it serves this chain; otherwise why it can't be used, now or ever. Never rejects. */
  ready(): Promise<string | undefined>
  /** As `ready`, and reads the chain id anew. Simultaneous callers share one call. */
  confirm(): Promise<string | undefined>
  /** Why it can't be used, while it serves another chain. */
  wrong(): string | undefined
  /** By `clock.elapsed()`, while it serves another chain. */
  verifiedAgainAt(): number
  /** Once verified. */
  rule(): ReplacementRule | undefined
  close(): void
}

export interface ServingOptions {
  readonly call: SendCall
  /** Its place in the configuration, for the log. */
  readonly index: number
  readonly chainId: number
  readonly clock: Clock
  readonly logger: Logger
  /** Called when it begins to serve another chain, and when it serves this one again. */
  readonly changed: (isWrong: boolean) => void
}

/** The pause doubles each time, since an endpoint may also be configured wrongly, for ever. */
const pauseMs = { first: 1_000, most: 30_000 }

interface Wrong {
  readonly reason: string
  readonly pauseMs: number
  readonly until: number
}

export function watchServing({ call, index, chainId, clock, logger, changed }: ServingOptions): Serving {
  let rule: ReplacementRule | undefined
  let verified: Promise<string | undefined> | undefined
  let confirming: Promise<string | undefined> | undefined
  let wrong: Wrong | undefined
  const closing = new AbortController()

  /** A node that does not answer is tried again at the next use. */
  async function verify(): Promise<string | undefined> {
    const found = await identify(call)
    if ('failed' in found) {
      verified = undefined
      if (wrong) wrong = { ...wrong, until: clock.elapsed() + wrong.pauseMs }
      return found.failed
    }
    if (found.chainId !== chainId) return goWrong(found.chainId)
    rule = found.rule
    if (wrong) {
      wrong = undefined
      logger.info({ endpoint: index }, 'an endpoint serves its chain again')
      changed(false)
    }
    return undefined
  }

  function goWrong(served: number): string {
    const reason = `serves chain ${served}, not ${chainId}`
    const pause = wrong ? Math.min(pauseMs.most, 2 * wrong.pauseMs) : pauseMs.first
    if (!wrong) {
      const facts = { endpoint: index, expected: chainId, served }
      logger.error(facts, 'an endpoint serves another chain and is not used')
    }
    const begins = wrong === undefined
    wrong = { reason, pauseMs: pause, until: clock.elapsed() + pause }
    verified = undefined
    changed(true)
    if (begins) void verifyUntilRight()
    return reason
  }

  /** Also on an idle network, so that an operator sees the end. */
  async function verifyUntilRight(): Promise<void> {
    while (wrong && !closing.signal.aborted) {
      await clock.sleep(Math.max(0, wrong.until - clock.elapsed()), closing.signal)
      if (!closing.signal.aborted) await ready()
    }
  }

  function ready(): Promise<string | undefined> {
    if (!verified && wrong && clock.elapsed() < wrong.until) return Promise.resolve(wrong.reason)
    verified ??= verify()
    return verified
  }

  async function readChainId(): Promise<string | undefined> {
    const answer = await call({ method: 'eth_chainId', params: [] })
    const served = answer.kind === 'value' ? toNumber(answer.value) : undefined
    if (served === undefined) return describeAnswer(answer)
    return served === chainId ? undefined : goWrong(served)
  }

  return {
    ready,
    confirm() {
      if (wrong) return ready()
      confirming ??= readChainId().finally(() => {
        confirming = undefined
      })
      return confirming
    },
    wrong: () => wrong?.reason,
    verifiedAgainAt: () => wrong?.until ?? Number.NEGATIVE_INFINITY,
    rule: () => rule,
    close: () => closing.abort(),
  }
}

interface Identity {
  readonly chainId: number
  readonly rule: ReplacementRule
}

/** Both calls leave in one request. */
async function identify(call: SendCall): Promise<Identity | { readonly failed: string }> {
  const [id, version] = await Promise.all([
    call({ method: 'eth_chainId', params: [] }),
    call({ method: 'web3_clientVersion', params: [] }),
  ])
  const chainId = id.kind === 'value' ? toNumber(id.value) : undefined
  if (chainId === undefined) return { failed: describeAnswer(id) }
  return { chainId, rule: replacementRuleOf(version.kind === 'value' ? version.value : undefined) }
}
