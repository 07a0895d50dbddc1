// A real server on a real store, and requests to it that give back the bytes.
import { Agent, request } from 'undici'
import type { Chain } from '../../../src/chain/chain.ts'
import { openChains } from '../../../src/chain/replaceable.ts'
import { stopRelayers } from '../../../src/commands/bulk-cancellations/stop-relayers.ts'
import type { CommandContext } from '../../../src/commands/context.ts'
import { sessionDigestBy } from '../../../src/commands/dashboard/session-token.ts'
import { type ManagementContext, takeEffect } from '../../../src/commands/management.ts'
import { openQueueRooms, type QueueRooms } from '../../../src/commands/queue-room.ts'
import { pauseRelayer } from '../../../src/commands/relayers/pause-relayer.ts'
import { readPolicies } from '../../../src/config/parse-policies.ts'
import type { Market } from '../../../src/domain/fees.ts'
import { osakaRules } from '../../../src/domain/gas-figures.ts'
import type { RelayerId } from '../../../src/domain/ids.ts'
import type { ServerLimits } from '../../../src/http/limits.ts'
import { type Authenticate, administratorBy } from '../../../src/http/request/authenticate.ts'
import { openServer, type ServerOptions } from '../../../src/http/server/open-server.ts'
import { type Clock, systemClock } from '../../../src/ops/clock.ts'
import { guardAddresses } from '../../../src/ops/guard-addresses.ts'
import { noMetrics } from '../../../src/ops/metrics.ts'
import { systemRandom } from '../../../src/ops/random.ts'
import { secret } from '../../../src/ops/secret.ts'
import { openVault } from '../../../src/ops/vault.ts'
import { openRegistry } from '../../../src/registry/open-registry.ts'
import { viemCurve } from '../../../src/signers/curve.ts'
import { keySigner } from '../../../src/signers/key-signer.ts'
import type { Signer } from '../../../src/signers/signer.ts'
import type { Store } from '../../../src/store/store.ts'
import { devAccount } from '../../../tooling/dev-accounts.ts'
import { somePolicy } from '../../domain/some.ts'
import type { StoreUnderTest } from '../../store/contract.ts'
import { openTestedStore } from '../../support/open-tested-store.ts'
import { type LogLine, loggerInto } from '../../support/recorded-log.ts'
import { receiver, relayer } from './rows.ts'

export const apiKey = 'a-key-for-tests-of-32-characters-or-more'
export const version = '0.0.0-test'

export interface Answer {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: what comes over the wire has no type until a test looks at it
  readonly body: any
}

export interface Asking {
  readonly token?: string | null
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly signal?: AbortSignal
}

export interface Serving extends AsyncDisposable {
  readonly url: string
  readonly port: number
  readonly store: Store
  readonly log: readonly LogLine[]
  readonly woken: readonly RelayerId[]
  ask(method: string, path: string, asking?: Asking): Promise<Answer>
  send(relayerId: string, body: object): Promise<Answer>
  stop(): Promise<void>
}

export interface Setting {
  /** Of every relayer; the key of the first development account by default. */
  readonly signer?: Signer
  readonly serves?: ServerOptions['serves']
  readonly limits?: ServerLimits
  readonly rates?: ServerOptions['rates']
  readonly authenticate?: Authenticate
  readonly hasDashboard?: false
  /** Of every relayer; without, the file of this server has no network. */
  readonly chain?: Partial<Chain>
  readonly queueMax?: number
  readonly queueRooms?: QueueRooms
  /** The market as last observed; by default not yet. */
  readonly market?: Market
  /** As last observed; by default not yet. */
  readonly priceOf?: Parameters<typeof stopRelayers>[0]['reckoning']['priceOf']
  readonly symbolOf?: Parameters<typeof stopRelayers>[0]['symbolOf']
  readonly isStrict?: boolean
  readonly clock?: Clock
  readonly trustedProxies?: readonly string[]
  /** The store; that of the run by default. */
  readonly open?: () => Promise<StoreUnderTest>
  /** What the server is given instead of the store. */
  readonly wrap?: (store: Store) => Store
  readonly readiness?: Partial<ServerOptions['readiness']>
  /** Requests that are under way at once; 16 by default. */
  readonly connections?: number
}

export const someStates = { ok: 2, waiting: 0, paused: 0, unreachable: 0, unobserved: 0 }
const someReadiness = () => ({
  stopping: new AbortController().signal,
  relayers: () => someStates,
  conditions: () => [],
})

/** Two relayers, `one` and `two`, and limits that no test meets by chance. */
export async function serve(setting: Setting = {}): Promise<Serving> {
  const log: LogLine[] = []
  const woken: RelayerId[] = []
  const logger = loggerInto(log)
  const under = await (setting.open ?? (() => openTestedStore(logger)))()
  const { store } = under
  await store.commit(async (session) => {
    await session.saveRelayer(relayer('one'))
    await session.saveRelayer(relayer('two', { address: receiver }))
  })
  const signer = setting.signer ?? keySigner('dev', Buffer.from(devAccount(0).key.slice(2), 'hex'), viemCurve)
  const given = setting.wrap ? setting.wrap(store) : store
  const commands: CommandContext = {
    store: given,
    clock: setting.clock ?? systemClock,
    random: systemRandom(),
    wake: (id) => woken.push(id),
    queueRooms: setting.queueRooms ?? openQueueRooms(setting.queueMax ?? 100_000),
    profileOf: () => ({
      ...{ ...somePolicy.profile, figures: osakaRules },
      ...(setting.market && { market: setting.market }),
    }),
  }
  const vault = openVault({ previous: [] }, commands.random)
  const openSigner = async () => signer
  const chain = { pooled: async () => undefined, ...setting.chain }
  const registry = await openRegistry({
    ...{ store, vault, logger, openSigner, fileSigners: new Map() },
    file: { relayers: [], signers: [], notifications: [], networks: [], awaited: [] },
    chains: openChains(() => chain as Chain),
    policyFor: () => somePolicy,
    clock: commands.clock,
  })
  const management: ManagementContext = {
    ...commands,
    announce: () => {},
    registry,
    vault,
    logger,
    guard: guardAddresses([]),
    readSigner: (_, { type }) => ({ type: 'plain', config: {}, secret: secret(type), open: openSigner }),
    readPolicies,
  }
  const stops = stopRelayers({
    ...{
      context: commands,
      logger,
      atOnce: 2,
      reckoning: { policyOf: () => somePolicy, priceOf: setting.priceOf ?? (() => undefined) },
    },
    symbolOf: setting.symbolOf ?? (() => 'ETH'),
    pause: (session, id, requester, now) => pauseRelayer(management, session, id, requester, now),
    takeEffect: () => takeEffect(management),
  })
  const server = await openServer({
    ...{ commands, management, stops },
    chainOf: setting.chain ? () => chain as Chain : registry.chainOf,
    signerOf: () => signer,
    policyOf: () => somePolicy,
    windowOf: () => undefined,
    ...(setting.serves && { serves: setting.serves }),
    limits: setting.limits ?? { requestsPerSecond: 100_000, burst: 100_000 },
    ...(setting.rates && { rates: setting.rates }),
    authenticate: setting.authenticate ?? administratorBy(apiKey),
    eventIdSecret: secret(apiKey),
    ...(setting.isStrict && { isStrict: true }),
    ...(setting.hasDashboard !== false && { sessionDigest: sessionDigestBy(apiKey) }),
    logger,
    metrics: noMetrics.http,
    ...(setting.trustedProxies && { trustedProxies: setting.trustedProxies }),
    readiness: { ...someReadiness(), check: () => given.check(), ...setting.readiness },
    version,
    packageRoot: new URL('../../../', import.meta.url),
  })
  await server.listen({ host: '127.0.0.1', port: 0 })
  const agent = new Agent({ connections: setting.connections ?? 16 })
  const stop = once(() => server[Symbol.asyncDispose]())

  const ask = async (method: string, path: string, asking: Asking = {}): Promise<Answer> => {
    const { token = apiKey, headers = {}, body, signal } = asking
    const answer = await request(`${server.url}${path}`, {
      method: method as 'GET',
      dispatcher: agent,
      headers: { ...(token !== null && { authorization: `Bearer ${token}` }), ...headers },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    })
    const text = await answer.body.text()
    const json = text !== '' && String(answer.headers['content-type']).includes('json')
    return { status: answer.statusCode, headers: answer.headers, text, body: json ? JSON.parse(text) : undefined }
  }

  return {
    url: server.url,
    port: Number(new URL(server.url).port),
    store,
    log,
    woken,
    ask,
    send: (relayerId, body) =>
      ask('POST', `/api/v1/relayers/${relayerId}/transactions`, {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    stop,
    async [Symbol.asyncDispose]() {
      await agent.destroy()
      await stop()
      await under[Symbol.asyncDispose]()
    },
  }
}

function once(run: () => PromiseLike<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  return () => {
    running ??= Promise.resolve(run())
    return running
  }
}
