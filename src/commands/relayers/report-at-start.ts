// The report at start: queries each node once, and logs a line for each relayer. A node's problem is a warning, and delays
// nothing.
import type { Chain, EndpointState } from '../../chain/chain.ts'
import { foreignPatience } from '../../domain/decide/rules/foreign-nonces.ts'
import { partlyUnderFourEyes } from '../../domain/four-eyes.ts'
import type { RelayerId } from '../../domain/ids.ts'
import { refusalOfKept } from '../../domain/no-balance.ts'
import type { Patience } from '../../domain/patience.ts'
import type { ForeignPending } from '../../domain/pooled.ts'
import { whyPublished } from '../../domain/published-accounts.ts'
import type { Relayer } from '../../domain/relayer.ts'
import type { Wei } from '../../domain/units.ts'
import type { Logger } from '../../ops/logger.ts'
import type { Registry } from '../../registry/registry.ts'
import type { Reads } from '../../store/store.ts'
import { readForeignPending } from './read-status.ts'

interface ReportAtStart {
  readonly registry: Pick<Registry, 'relayers' | 'networks' | 'endpointsOf' | 'chainOf' | 'policyOf'>
  readonly reads: Pick<Reads, 'standing' | 'transactionByNonce' | 'hasAttempt'>
  readonly logger: Logger
  readonly observed: (id: RelayerId, isReachable: boolean) => void
}

/** Never rejects. Disposing it waits for the nodes' answers no longer. */
export function reportAtStart(context: ReportAtStart): Disposable {
  const ended = new AbortController()
  void report(context, ended.signal).catch((err: unknown) => {
    context.logger.warn({ err }, 'the report at start failed')
  })
  return { [Symbol.dispose]: () => ended.abort() }
}

async function report({ registry, reads, logger, observed }: ReportAtStart, ended: AbortSignal): Promise<void> {
  const relayers = registry.relayers()
  reportReceivers(relayers, logger)
  reportSharedAccounts(relayers, logger)
  /** Relayers with endpoints of their own have a chain of their own. */
  const checks = new Map<Chain, Promise<readonly EndpointState[]>>()
  await Promise.all(
    relayers.map(async (relayer) => {
      const chain = registry.chainOf(relayer)
      const checking = checks.get(chain) ?? chain.check()
      checks.set(chain, checking)
      const [states, balance, foreign] = await Promise.all([
        checking,
        balanceOf(chain, relayer),
        readForeignPending(reads, chain, relayer),
      ])
      if (ended.aborted) return
      observed(relayer.id, states.includes('ok'))
      logRelayer(logger, relayer, originsOf(registry, relayer), states, balance)
      if (foreign) logForeign(logger, relayer, foreign, foreignPatience(registry.policyOf(relayer)))
    }),
  )
}

/** Logs foreign transactions: another service may still sign with this key, or left these behind. */
function logForeign(
  logger: Logger,
  { id, address }: Relayer,
  { nonce, pendingNonce, count, transactions }: ForeignPending,
  patience: Patience,
): void {
  const facts = { relayer_id: id, address, account_nonce: nonce, pending_nonce: pendingNonce, count, transactions }
  logger.warn(
    facts,
    `pools hold transactions of a relayer's account that this service did not sign: sends get nonces behind those that the pool counts, and the service leaves them alone, unless one of them holds up a send for ${patience.blocks} blocks and ${patience.ms / 1_000} s: then it uses that nonce, and perhaps those behind it; make sure that nothing else signs with this key`,
  )
}

function logRelayer(
  logger: Logger,
  { id, network, chainId, address, paused, networkPaused, policies }: Relayer,
  origins: readonly string[],
  states: readonly EndpointState[],
  balance: Wei | undefined,
): void {
  const endpoints = states.map((state, index) => `${origins[index]} ${stateNames[state]}`)
  const facts = {
    ...{ relayer_id: id, network, chain_id: chainId, address },
    ...(balance !== undefined && { balance: String(balance) }),
    endpoints,
    ...(paused && { paused }),
    ...(networkPaused && { network_paused: true }),
  }
  const published = whyPublished(address, chainId)
  const kept = balance === undefined ? undefined : refusalOfKept(policies, balance)
  if (published !== undefined) logger.warn(facts, `a relayer ${published}`)
  else if (kept !== undefined) logger.warn(facts, `a relayer's policies.${kept}`)
  else if (balance !== undefined && states.every((state) => state === 'ok')) logger.info(facts, 'relayer')
  else logger.warn(facts, 'relayer: not every endpoint of its network can be used')
}

const stateNames: Readonly<Record<EndpointState, string>> = {
  ok: 'ok',
  wrongChain: 'wrong chain',
  noAnswer: 'no answer',
}

/** Paths and users may hold keys. */
function originsOf({ networks, endpointsOf }: ReportAtStart['registry'], { id, network }: Relayer): readonly string[] {
  const endpoints = endpointsOf(id) ?? networks().find(({ name }) => name === network)?.rpcUrls ?? []
  return endpoints.map(({ url }) => new URL(url.reveal()).origin)
}

/** Undefined where no node answers. */
async function balanceOf(chain: Chain, { address }: Relayer): Promise<Wei | undefined> {
  try {
    return await chain.balance(address)
  } catch {
    return undefined
  }
}

/** A log line names no more of them. */
const namedMax = 100

function reportReceivers(relayers: readonly Pick<Relayer, 'id' | 'policies'>[], logger: Logger): void {
  const open = relayers.filter(({ policies }) => policies.whitelistReceivers === undefined)
  const closed = relayers.filter(({ policies }) => policies.whitelistReceivers?.length === 0)
  if (open.length > 0) {
    logger.info(factsOf(open), 'these relayers have no whitelist_receivers: their sends may go to anybody')
  }
  if (closed.length > 0) {
    logger.warn(factsOf(closed), 'whitelist_receivers of these relayers is an empty list: their sends may go to nobody')
  }
}

function reportSharedAccounts(relayers: readonly Relayer[], logger: Logger): void {
  for (const group of partlyUnderFourEyes(relayers).slice(0, namedMax)) {
    logger.warn(
      { address: group[0]?.address, ...factsOf(group) },
      'these relayers share an account, and not all of them are under four eyes: none of them signs messages, and the others send without a second key on their chains; give each a signer of its own',
    )
  }
}

function factsOf(relayers: readonly Pick<Relayer, 'id'>[]) {
  return { count: relayers.length, relayer_ids: relayers.slice(0, namedMax).map(({ id }) => id) }
}
