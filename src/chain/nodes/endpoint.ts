// One node of a network: verified at first use, then trusted by how it behaves.
import type { NoteContradiction } from '../../domain/contradiction.ts'
import type { ReplacementRule } from '../../domain/fees.ts'
import type { NodeView } from '../../domain/node-report.ts'
import type { EndpointSettings } from '../../domain/settings.ts'
import type { BlockNumber } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Logger } from '../../ops/logger.ts'
import type { ChainMetrics } from '../../ops/metrics.ts'
import { hostOf } from '../../ops/rpc-hosts.ts'
import type { EndpointState } from '../chain.ts'
import { openAside } from './aside.ts'
import { batchCalls } from './batch-calls.ts'
import { blockMethod } from './block-call.ts'
import type { Answer, SendCall } from './call.ts'
import {
  afterAnswer,
  afterFailure,
  afterLag,
  afterStray,
  type EndpointReasons,
  isFit,
  mayShow,
  reasonsOf,
  rested,
  restsUntil,
} from './endpoint-rest.ts'
import type { Forwarder } from './forward.ts'
import type { LargeAnswers } from './large-answers.ts'
import { redactAll } from './redact.ts'
import { type Confirmation, type ServedAnchor, type Serving, watchServing } from './serving.ts'
import type { OpenTransport } from './transport.ts'
import { type EndpointFigures, watchEndpoint } from './watch-endpoint.ts'

/** The settings of an endpoint, with the URL revealed. An endpoint with the weight 0 is read when no other answers. */
export type EndpointConfig = Omit<EndpointSettings, 'url'> & { readonly url: string }

export interface Endpoint {
  /** The endpoint's place in the configuration, for logs. */
  readonly index: number
  readonly weight: number
  /** The provider that runs it. Endpoints of one provider count as one witness. */
  readonly provider: string
  /** Does not verify: `ready` does. Sends nothing while the endpoint serves another chain. */
  readonly call: SendCall
  /** Sends somebody else's calls: alone in a request, on connections of their own, and nothing is learned from them. */
  readonly callOnOwnConnection: SendCall
  /** Calls as `callOnOwnConnection` does, with the result as bytes. */
  readonly forward: Forwarder['forward']
  /** The data of a node's error, without the endpoint's secrets. */
  redacted(data: unknown): unknown
  /** Undefined when the endpoint serves this chain; otherwise why it can't be used, now or ever. Never rejects. */
  ready(): Promise<string | undefined>
  /** Reads the chain id and the block of the anchor anew: what it answered may be of another chain. Never rejects. */
  confirm(): Promise<Confirmation>
  /** Whether it was found on another chain by the anchor. */
  deniesAnchor(): boolean
  /** Verifies it at once if it serves another chain. Never rejects. */
  verifyAgain(): Promise<void>
  /** Verifies as `ready` does, for a report. Never rejects. */
  check(): Promise<EndpointState>
  /** The replacement rule of the endpoint's client, once verified. */
  rule(): ReplacementRule | undefined
  /** Why it can't be used, while it serves another chain by its chain id or the anchor. */
  wrong(): string | undefined
  /**
   * Whether the endpoint neither fails nor lags, and is of this chain. One that failed is fit again only once it has answered
   * something.
   */
  fit(): boolean
  /**
   * Whether the endpoint may show a block that is some blocks old. It need not be `fit`: it may lag, or have failed and had its
   * rest.
   */
  mayShow(): boolean
  /** Whether the endpoint is of this chain, and answered its last request. It may rest for other reasons. */
  answers(): boolean
  /** Asks it something harmless when its rest is over, so that nobody's work has to find out whether it recovered. */
  probe(): void
  /** When the rest ends, by `clock.elapsed()`. */
  restsUntil(): number
  /** Rests the endpoint for `ms`: it reported a head behind the others, or one of a branch that most others do not hold. */
  lags(ms: number, why?: 'outvoted'): void
  /** Notes an answer about another thing than the call named: the endpoint rests as after a failure. */
  strayed(method: string): void
  /** The endpoint as its calls have shown it. Sends no call. */
  view(): NodeView
  close(): Promise<void>
}

interface EndpointOptions {
  readonly config: EndpointConfig
  readonly index: number
  readonly chainId: number
  readonly isSole: boolean
  readonly anchor: ServedAnchor
  readonly clock: Clock
  readonly logger: Logger
  readonly timeoutMs: number
  readonly metrics: ChainMetrics
  readonly openTransport: OpenTransport
  readonly large: LargeAnswers
  readonly note: NoteContradiction
  /** The number of the head that the network believes now. */
  readonly believed: () => BlockNumber | undefined
}

/** Failures in a row that make an outage, which is logged at its start and at its end. */
const outageAt = 3

export function openEndpoint(options: EndpointOptions): Endpoint {
  const { config, index, chainId, anchor, clock, logger, metrics } = options
  const addressed = { ...options, url: config.url, headers: config.headers ?? {} }
  const transport = options.openTransport(addressed)
  const called = (method: string, answer: Answer['kind'], ms: number) => metrics.called(method, index, answer, ms)
  const watch = watchEndpoint({ clock, redact: transport.redact, believed: options.believed, called })
  let rest = rested
  let isOutvoted = false
  let strayedAt = ''
  let probing = false

  function heard(well: boolean): void {
    if (well && rest.failuresInRow >= outageAt) logger.info({ endpoint: index }, 'an endpoint answers again')
    rest = well ? afterAnswer(rest) : afterFailure(rest, clock.elapsed())
    metrics.endpoint(index, well && serving.wrong() === undefined)
    if (rest.failuresInRow === outageAt) logger.warn({ endpoint: index }, 'an endpoint failed three times in a row')
  }

  const sized = (calls: number) => logger.info({ endpoint: index, calls }, 'batches to an endpoint have another size')
  const counted = watch.watched(batchCalls({ transport, clock, heard, sized }))
  const serving = watchServing({
    ...{ call: counted, index, chainId, anchor, clock, logger, note: options.note },
    changed(isWrong) {
      metrics.wrongChain(index, isWrong)
      metrics.endpoint(index, !isWrong)
    },
  })

  const aside = openAside(options.openTransport, addressed)

  const endpoint: Endpoint = {
    index,
    weight: config.weight,
    provider: config.provider ?? hostOf(config.url),
    call: ofThisChain(counted, serving),
    callOnOwnConnection: aside.call,
    forward: aside.forward,
    redacted: (data) => redactAll(data, transport.redact),
    ready: serving.ready,
    confirm: serving.confirm,
    deniesAnchor: serving.deniesAnchor,
    verifyAgain: serving.verifyAgain,
    check: () => stateOf(serving),
    rule: serving.rule,
    wrong: serving.wrong,
    fit: () => serving.wrong() === undefined && isFit(rest, clock.elapsed()),
    mayShow: () => serving.wrong() === undefined && mayShow(rest, clock.elapsed()),
    answers: () => serving.wrong() === undefined && rest.failuresInRow === 0,
    probe() {
      if (probing || endpoint.restsUntil() > clock.elapsed()) return
      probing = true
      // Behind the same URL another node may answer now.
      void serving.confirm().then(() => {
        probing = false
      })
    },
    restsUntil: () => Math.max(restsUntil(rest), serving.verifiedAgainAt()),
    lags: (ms, why) => {
      metrics.lagged(index)
      isOutvoted = why === 'outvoted'
      rest = afterLag(rest, clock.elapsed(), ms)
    },
    strayed(method) {
      metrics.strayed(index)
      // Old nodes of Filecoin answer with the block below where a height has none, and nothing takes the place of the only endpoint.
      if (options.isSole && method === blockMethod) return
      if (isFit(rest, clock.elapsed()))
        logger.warn(
          { endpoint: index, method },
          'an endpoint answers about another block, receipt or transaction than requested',
        )
      strayedAt = method
      rest = afterStray(rest, clock.elapsed())
    },
    view: () => viewOf(options, serving, watch.figures(), { rest, isOutvoted, strayedAt }),
    close: async () => {
      serving.close()
      await Promise.all([transport.close(), aside.close()])
    },
  }
  return endpoint
}

/** An answer that was under way when the endpoint was found on another chain may be of that chain. */
function ofThisChain(counted: SendCall, { wrong }: Serving): SendCall {
  return async (one) => {
    const before = wrong()
    if (before !== undefined) return { kind: 'unsent', message: before }
    const answer = await counted(one)
    const since = wrong()
    return since === undefined ? answer : { kind: 'unknown', message: since }
  }
}

async function stateOf(serving: Serving): Promise<EndpointState> {
  if ((await serving.ready()) === undefined) return 'ok'
  return serving.wrong() === undefined ? 'noAnswer' : 'wrongChain'
}

function viewOf(
  { config, index, clock }: EndpointOptions,
  serving: Serving,
  figures: EndpointFigures,
  rests: Pick<EndpointReasons, 'rest' | 'isOutvoted' | 'strayedAt'>,
): NodeView {
  const rule = serving.rule()
  return {
    ...{ endpoint: index, host: hostOf(config.url), weight: config.weight },
    ...(rule && { replacement: { measure: rule.measure, percent: Number(rule.percent) } }),
    ...figures,
    reasons: reasonsOf({ ...rests, serving, behind: figures.head?.behind, clock }),
  }
}
