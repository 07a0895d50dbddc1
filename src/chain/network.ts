// Implements the chain port over real nodes: a network's endpoints behind one head, one fee reading and one batch.

import { tagRereadMs } from '../domain/finality.ts'
import { chainsOfTwoBlocks } from '../domain/network-profiles.ts'
import { ethereumProfile, type NetworkProfile } from '../domain/profile.ts'
import { developmentChains } from '../domain/published-accounts.ts'
import type { BlockNumber } from '../domain/units.ts'
import type { Clock } from '../ops/clock.ts'
import type { Logger } from '../ops/logger.ts'
import { type ChainMetrics, noChainMetrics } from '../ops/metrics.ts'
import { hostOf } from '../ops/rpc-hosts.ts'
import { readingAccounts } from './accounts/read-account.ts'
import { readBalance } from './accounts/read-balance.ts'
import { readingPooled } from './accounts/read-pooled.ts'
import { readingReceivers } from './accounts/read-receivers.ts'
import type { Chain } from './chain.ts'
import { believingEstimates } from './fees/believe-estimates.ts'
import { believingTips } from './fees/believe-tips.ts'
import { rememberOwnBlocks } from './fees/compare-readings.ts'
import { keepGasFigures } from './fees/keep-gas-figures.ts'
import { openTipFloor, smallPriceOf } from './fees/limit-tips.ts'
import { readingMarket, smallTipPart } from './fees/read-market.ts'
import { readingNoOp } from './fees/read-no-op.ts'
import { rememberPrice } from './fees/remember-price.ts'
import { rememberTips, type TipMemory } from './fees/remember-tips.ts'
import { limitingGas } from './heads/limit-gas.ts'
import { measureBlocktime, type Pace } from './heads/measure-blocktime.ts'
import { movingAnchor } from './heads/move-anchor.ts'
import { readingCanonical } from './heads/read-canonical.ts'
import { namingBlocks, readingTags } from './heads/read-tag.ts'
import { type AnchorMemory, type RememberedAnchor, rememberAnchor } from './heads/remember-anchor.ts'
import { type HeadTracker, trackHead } from './heads/track-head.ts'
import { callingWitnesses } from './inclusions/call-witnesses.ts'
import { openHistoryCheck } from './inclusions/check-history.ts'
import { readingConfirmed } from './inclusions/confirmed-spending.ts'
import { findingSpenders } from './inclusions/find-spender.ts'
import { readingReceiptsBeside } from './inclusions/read-beside.ts'
import { rememberUnexplained } from './inclusions/unexplained.ts'
import { expectingNeeds, type NextLook } from './next-look.ts'
import { type Endpoint, type EndpointConfig, openEndpoint } from './nodes/endpoint.ts'
import { chooseAmong, type Endpoints, forward, forwardRead } from './nodes/endpoints.ts'
import { type LargeAnswers, openLargeAnswers, type StartThread } from './nodes/large-answers.ts'
import { lookingAtNodes } from './nodes/look-at-nodes.ts'
import { readCollectsTips, readMake } from './nodes/read-shown.ts'
import type { ServedAnchor } from './nodes/serving.ts'
import { type OpenTransport, openTransport as openHttpTransport } from './nodes/transport.ts'
import { observe } from './observe.ts'
import {
  type ContradictionMemory,
  type ContradictionRecorder,
  recordingContradictions,
} from './record-contradictions.ts'
import { broadcast } from './sending/broadcast.ts'
import { rememberRefusals } from './sending/remember-refusals.ts'
import { openSendRaw } from './sending/send-raw.ts'

export interface NetworkOptions {
  readonly endpoints: readonly EndpointConfig[]
  readonly chainId: number
  /** The configured block time. A measured one counts before it. */
  readonly averageBlocktimeMs: number
  /** Whether the operator configured the block time. False for a default or a chain list's value. */
  readonly isBlocktimeGiven?: boolean
  readonly eip1559: boolean
  /** The default is Ethereum's. */
  readonly profile?: NetworkProfile
  readonly clock: Clock
  readonly logger: Logger
  readonly anchorMemory: AnchorMemory
  /** Where believed tips outlive the process. Absent: they do not. */
  readonly tipMemory?: TipMemory
  readonly contradictionMemory: ContradictionMemory
  /** The default counts nothing. */
  readonly metrics?: ChainMetrics
  /** The default is HTTP. */
  readonly openTransport?: OpenTransport
  /** Starts the thread that parses large answers. Without it, the main thread does. */
  readonly startThread?: StartThread
  /** The time-out of one HTTP request. */
  readonly timeoutMs: number
}

const rereadMs = tagRereadMs / 2

/** Opens no connection: an endpoint is verified when it is first used. Throws TypeError for an invalid URL. */
export function openNetwork(options: NetworkOptions): Chain {
  const { chainId, averageBlocktimeMs, clock, logger, metrics = noChainMetrics } = options
  const large = openLargeAnswers(clock, options.startThread)
  const { profile = ethereumProfile } = options
  const isDevelopment = developmentChains.includes(chainId)
  // The anchor and the branches are compared by hashes.
  const comparesHashes = profile.witness === 'block_hash'
  const anchor = rememberAnchor(options.anchorMemory, logger)
  const served = comparesHashes ? servedBy(() => all, anchor, isDevelopment, logger) : withoutAnchor
  const { all, contradictions } = openEndpoints(options, served, large, () => heads.height())
  const { note } = contradictions
  const endpoints = chooseAmong(all, profile.replacement)
  const isGiven = options.isBlocktimeGiven === true
  const pace = measureBlocktime({ configuredMs: averageBlocktimeMs, isGiven, clock, logger, metrics })
  const providers = new Set(all.map(({ provider }) => provider)).size
  const { finality, witness } = profile
  const onHead = movingAnchor({ endpoints, providers, remembered: anchor, pace, finality, clock, logger })
  const heads = trackHead({
    ...{ endpoints, pace, clock, logger, metrics, isDevelopment, note, comparesHashes },
    ...(comparesHashes ? { anchor, onHead } : { anchor: withoutAnchor }),
    beside: (height, isDue) => nextLook.calls(height, isDue),
  })
  const readCanonical = readingCanonical(endpoints, heads)
  const namedBlock = namingBlocks(clock, rereadMs)
  const readTag = readingTags({ endpoints, heads, readCanonical, namedBlock, clock, rereadMs })
  const unexplained = rememberUnexplained(heads.reorgs, () => clock.elapsed())
  const gas = openGas(options, { endpoints, all, providers, heads, profile })
  const accounts = readingAccounts({ endpoints, heads, readCanonical, unexplained, clock, profile })
  const [searched, located] = [new Map<string, number>(), new Map<string, number>()]
  const findSpender = findingSpenders({ endpoints, clock, chainId })
  const checkHistory = openHistoryCheck({ endpoints, readCanonical, pace, clock, findSpender })
  const { tipFloor, ownBlocks, market } = openMarket(options, { endpoints, profile, isDevelopment, pace })
  const nextLook = expectingNeeds(accounts, market.callsBeside)
  const witnesses = callingWitnesses({ endpoints, providers, namedBlock, witness, clock, logger, metrics, note })
  const receiptsBeside = readingReceiptsBeside(clock, readCanonical, witnesses)
  const confirmed = readingConfirmed({ endpoints, heads, readCanonical, findSpender })
  const refusals = rememberRefusals(endpoints, heads.height, () => clock.elapsed())
  const price = rememberPrice(clock)
  const send = openSendRaw(profile, clock)

  return {
    observe: observing(nextLook, price, {
      ...{ endpoints, providers, heads, pace, clock, accounts, readCanonical, readTag, ownBlocks, ...gas },
      ...{ readMarket: market.read, searched, located, unexplained, findSpender, checkHistory },
      ...{ witnesses, receiptsBeside, refusals },
    }),
    announce: accounts.announce,
    broadcast: (requests) => broadcast(endpoints, requests, send, { minimum: tipFloor.learn, refusal: refusals.learn }),
    balance: (address) => readBalance(endpoints, address),
    pooled: readingPooled(endpoints, clock),
    confirmedCount: confirmed.count,
    spending: confirmed.spender,
    ...price.last,
    gasFigures: gas.gasFigures.known,
    read: (read) => forwardRead(endpoints, read),
    forward: (read) => forward(endpoints, read),
    follow: heads.follow,
    split: heads.split,
    singleWitness: witnesses.single,
    wrongChains: () =>
      all.flatMap(({ index, wrong }) => {
        const text = wrong()
        return text === undefined ? [] : [{ endpoint: index, text }]
      }),
    anchorReplaced: () => verifyAgain(all),
    ...{ shownMake: () => readMake(all, providers), collectsTips: () => readCollectsTips(all, providers) },
    check: () => Promise.all(all.map((endpoint) => endpoint.check())),
    ...lookingAtNodes({ all, heads, pace, clock }),
    async close() {
      heads.close()
      await endpoints.close()
      await contradictions.close()
      await large.close()
    },
  }
}

function observing(
  nextLook: NextLook,
  price: Pick<ReturnType<typeof rememberPrice>, 'learn'>,
  parts: Parameters<typeof observe>[0],
): Chain['observe'] {
  return async (inquiry, changed) => {
    nextLook.begin(inquiry)
    const seen = await observe(parts, inquiry, changed)
    nextLook.end(inquiry, seen)
    price.learn(seen)
    return seen
  }
}

function openEndpoints(
  options: NetworkOptions,
  anchor: ServedAnchor,
  large: LargeAnswers,
  believed: () => BlockNumber | undefined,
): {
  readonly all: readonly Endpoint[]
  readonly contradictions: ContradictionRecorder
} {
  const { chainId, clock, logger, timeoutMs, metrics = noChainMetrics, openTransport = openHttpTransport } = options
  const hosts = options.endpoints.map(({ url }) => hostOf(url))
  const contradictions = recordingContradictions({ memory: options.contradictionMemory, hosts, clock, logger })
  const { note } = contradictions
  const isSole = options.endpoints.length === 1
  const common = { chainId, isSole, anchor, clock, logger, timeoutMs, metrics, openTransport, large, note, believed }
  return {
    all: options.endpoints.map((config, index) => openEndpoint({ ...common, config, index })),
    contradictions,
  }
}

const withoutAnchor: ServedAnchor = {
  known: async () => undefined,
  reload: async () => undefined,
  denied: () => undefined,
  remedy: '',
}

const resetRemedy =
  '; if this development chain was reset, replace the anchor with POST /api/v1/networks/{network_id}/anchor'

/** The anchor for the endpoints. Where all deny it and nothing is in flight, another one replaces it. */
function servedBy(
  endpoints: () => readonly Endpoint[],
  anchor: RememberedAnchor,
  isDevelopment: boolean,
  logger: Pick<Logger, 'debug'>,
): ServedAnchor {
  async function release(): Promise<void> {
    try {
      if (await anchor.release()) await verifyAgain(endpoints())
    } catch (err) {
      logger.debug({ err }, 'the anchor could not be replaced')
    }
  }
  return {
    known: anchor.known,
    reload: anchor.reload,
    remedy: isDevelopment ? resetRemedy : '',
    denied() {
      if (endpoints().every((endpoint) => endpoint.deniesAnchor())) void release()
    },
  }
}

async function verifyAgain(endpoints: readonly Endpoint[]): Promise<void> {
  await Promise.all(endpoints.map((endpoint) => endpoint.verifyAgain()))
}

interface MarketParts {
  readonly endpoints: Endpoints
  readonly profile: NetworkProfile
  readonly isDevelopment: boolean
  readonly pace: Pace
}

function openMarket(options: NetworkOptions, { endpoints, profile, isDevelopment, pace }: MarketParts) {
  const { clock, logger } = options
  const tipFloor = openTipFloor(clock)
  const smallPrice = smallPriceOf(profile.pool)
  const believed = believingTips({
    ...{ clock, remembered: rememberTips({ clock, logger, memory: options.tipMemory }) },
    ...{ small: smallPrice / smallTipPart, isDevelopment },
  })
  const ownBlocks = rememberOwnBlocks()
  const market = readingMarket({
    ...{ endpoints, eip1559: options.eip1559, floor: tipFloor, tipFloor: profile.tipFloor, smallPrice, clock },
    ...{ believed, ownBlocks, pace },
  })
  return { tipFloor, ownBlocks, market }
}

interface GasParts {
  readonly endpoints: Endpoints
  readonly all: readonly Endpoint[]
  readonly providers: number
  readonly heads: HeadTracker
  readonly profile: NetworkProfile
}

function openGas({ chainId, clock, logger }: NetworkOptions, { endpoints, all, providers, heads, profile }: GasParts) {
  const limitGas = limitingGas(profile, !chainsOfTwoBlocks.includes(chainId))
  const gasFigures = keepGasFigures({ endpoints: all, providers, profile, clock, logger })
  return {
    ...{ limitGas, gasFigures },
    estimates: believingEstimates({
      ...{ endpoints, providers, profile, clock },
      limits: { figures: gasFigures.known, most: limitGas.last },
    }),
    readNoOp: readingNoOp(endpoints, profile, limitGas.last, () => clock.elapsed()),
    readMissing: readingReceivers(endpoints, heads, () => gasFigures.known().newAccount),
  }
}
