// One node of a network: verified once, then trusted by how it behaves.
import type { ReplacementRule } from '../../domain/fees.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Logger } from '../../ops/logger.ts'
import type { ChainMetrics } from '../../ops/metrics.ts'
import type { SecretHeaders } from '../../ops/request-headers.ts'
import type { EndpointState } from '../chain.ts'
import { batchCalls } from './batch-calls.ts'
import { describeAnswer, type SendCall } from './call.ts'
import { callAlone } from './call-alone.ts'
import { replacementRuleOf } from './client-profile.ts'
import { toNumber } from './decode.ts'
import { afterAnswer, afterFailure, afterLag, isFit, rested } from './endpoint-rest.ts'
import { redactAll } from './redact.ts'
import type { OpenTransport, Transport } from './transport.ts'

export interface EndpointConfig {
  readonly url: string
  /** Its share of the reads; 0 keeps it for when nobody else answers. */
  readonly weight: number
  /** Sent with each request. */
  readonly headers?: SecretHeaders
}

export interface Endpoint {
  /** Its place in the configuration: what a log may say of it. */
  readonly index: number
  readonly weight: number
  /** Does not verify: `ready` does. */
  readonly call: SendCall
  /** For somebody else's calls: alone in a request, on connections of their own, and nothing is learned from them. */
  readonly callAside: SendCall
  /** The data of a node's error, without the endpoint's secrets. */
  redacted(data: unknown): unknown
  /** Undefined when it serves this chain; otherwise why it can't be used, now or ever. Never rejects. */
  ready(): Promise<string | undefined>
  /** As `ready`, for a report. Never rejects. */
  check(): Promise<EndpointState>
  /** Once verified. */
  rule(): ReplacementRule | undefined
  /** Neither failing nor lagging. One that failed is fit again only once it has answered something. */
  fit(): boolean
  /** Asks it something harmless when its rest is over, so that nobody's work has to find out whether it recovered. */
  probe(): void
  /** By `clock.elapsed()`. */
  restsUntil(): number
  /** It reported a head behind those of others: it rests for `ms`. */
  lags(ms: number): void
  close(): Promise<void>
}

export interface EndpointOptions {
  readonly config: EndpointConfig
  readonly index: number
  readonly chainId: number
  readonly clock: Clock
  readonly logger: Logger
  readonly timeoutMs: number
  readonly metrics: ChainMetrics
  readonly openTransport: OpenTransport
}

/** A few at a time, and no answer so large that reading it would hold up the process. */
const asideLimits = { connectionsMax: 4, answerBytesMax: 8 * 1024 * 1024 }

/** A node behind a wrong address may be put right without us. */
const wrongChainMs = 30_000

/** So many failures in a row are an outage, which is logged at its start and at its end. */
const outageAt = 3

export function openEndpoint(options: EndpointOptions): Endpoint {
  const { config, index, chainId, clock, logger, metrics } = options
  const addressed = { ...options, url: config.url, headers: config.headers ?? {} }
  const transport = options.openTransport(addressed)
  let rest = rested
  let rule: ReplacementRule | undefined
  let probing = false
  let verified: Promise<string | undefined> | undefined
  let wrongUntil: number | undefined

  function heard(well: boolean): void {
    if (well && rest.failuresInRow >= outageAt) logger.info({ endpoint: index }, 'an endpoint answers again')
    rest = well ? afterAnswer(rest) : afterFailure(rest, clock.elapsed())
    metrics.endpoint(index, well && wrongUntil === undefined)
    if (rest.failuresInRow === outageAt) logger.warn({ endpoint: index }, 'an endpoint failed three times in a row')
  }

  const sized = (calls: number) => logger.info({ endpoint: index, calls }, 'batches to an endpoint have another size')
  const sendCall = batchCalls({ transport, clock, heard, sized })
  const call = counting(sendCall, metrics, index)

  let aside: Transport | undefined
  const callAside: SendCall = (one) => {
    aside ??= options.openTransport({ ...addressed, ...asideLimits })
    return callAlone(aside, one)
  }

  /** A node that does not answer is tried again at the next use, and one that serves a wrong chain after a while. */
  async function verify(): Promise<string | undefined> {
    const found = await identify(call)
    if ('failed' in found) {
      verified = undefined
      return found.failed
    }
    if (found.chainId !== chainId) {
      const facts = { endpoint: index, expected: chainId, served: found.chainId }
      logger.error(facts, 'an endpoint serves another chain and is not used')
      wrongUntil = clock.elapsed() + wrongChainMs
      metrics.endpoint(index, false)
      return `serves chain ${found.chainId}, not ${chainId}`
    }
    rule = found.rule
    return undefined
  }

  const endpoint: Endpoint = {
    index,
    weight: config.weight,
    call,
    callAside,
    redacted: (data) => redactAll(data, transport.redact),
    ready: () => {
      if (wrongUntil !== undefined && clock.elapsed() >= wrongUntil) {
        wrongUntil = undefined
        verified = undefined
      }
      verified ??= verify()
      return verified
    },
    async check() {
      if ((await endpoint.ready()) === undefined) return 'ok'
      return wrongUntil === undefined ? 'noAnswer' : 'wrongChain'
    },
    rule: () => rule,
    fit: () => isFit(rest, clock.elapsed()),
    probe() {
      if (probing || rest.until > clock.elapsed()) return
      probing = true
      void call({ method: 'eth_chainId', params: [] }).then((answer) => {
        probing = false
        // Behind the same URL another node may answer now.
        if (answer.kind === 'value' && toNumber(answer.value) !== chainId) verified = undefined
      })
    },
    restsUntil: () => rest.until,
    lags: (ms) => {
      metrics.lagged(index)
      rest = afterLag(rest, clock.elapsed(), ms)
    },
    close: async () => {
      await Promise.all([transport.close(), aside?.close()])
    },
  }
  return endpoint
}

function counting(send: SendCall, metrics: ChainMetrics, index: number): SendCall {
  return (one) => {
    const answered = metrics.calling(one.method, index)
    const answer = send(one)
    // In parallel to the answer's delivery to its caller.
    void answer.then(({ kind }) => answered(kind))
    return answer
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
