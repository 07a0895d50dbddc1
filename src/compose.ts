// The only file that names every implementation: from a configuration to a running service, and back to nothing.
import { openChains } from './chain/replaceable.ts'
import { type BulkStops, stopRelayers } from './commands/bulk-cancellations/stop-relayers.ts'
import type { CommandContext } from './commands/context.ts'
import { sessionDigestBy } from './commands/dashboard/session-token.ts'
import { type ManagementContext, takeEffect } from './commands/management.ts'
import { openQueueRooms } from './commands/queue-room.ts'
import { pauseRelayer } from './commands/relayers/pause-relayer.ts'
import { networkMarket, networkPrice } from './commands/relayers/read-status.ts'
import { reportAtStart } from './commands/relayers/report-at-start.ts'
import { syncConfiguredRelayers } from './commands/relayers/sync-configured-relayers.ts'
import { samplingRelayers, samplingWebhooks } from './commands/sample-metrics.ts'
import { watchRoom } from './commands/watch-room.ts'
import { openSharing, openStore, type StoreSurroundings } from './compose-database.ts'
import { guardHosts, type NodeSurroundings, openChain } from './compose-networks.ts'
import { awaitSigners, openFileSigners, relayersByState, signerSources, withoutFaulty } from './compose-signers.ts'
import type { Config } from './config/config.ts'
import { readPolicies } from './config/parse-policies.ts'
import { refusePublishedAccounts, refuseSharedAddresses } from './config/refuse-accounts.ts'
import type { RelayerId } from './domain/ids.ts'
import type { Relayer } from './domain/relayer.ts'
import { type RelayerObserver, reportToAll } from './domain/relayer-observer.ts'
import type { NetworkSettings } from './domain/settings.ts'
import { type Reconciling, reconcile } from './engine/reconcile.ts'
import type { StepContext } from './engine/step-context.ts'
import { watchForeignUse } from './engine/watch-foreign-use.ts'
import { presentEvent } from './http/events/present-event.ts'
import { administratorBy } from './http/request/authenticate.ts'
import { rateLimits, shareRates } from './http/request/limit-rate.ts'
import { type MetricsServer, openMetricsServer } from './http/server/open-metrics-server.ts'
import { openServer } from './http/server/open-server.ts'
import { presentArchived } from './http/transactions/present-archived.ts'
import type { Clock } from './ops/clock.ts'
import { logChanges } from './ops/log-changes.ts'
import type { Logger } from './ops/logger.ts'
import { type Metrics, noMetrics } from './ops/metrics.ts'
import type { ProcessStates } from './ops/process-states.ts'
import type { Exposition } from './ops/prometheus/open.ts'
import { freshId, type Random } from './ops/random.ts'
import { type RelayerStates, watchRelayers } from './ops/relayer-states.ts'
import type { Secret } from './ops/secret.ts'
import { openVault } from './ops/vault.ts'
import { ownByLocks } from './ownership/own-by-locks.ts'
import { ownInProcess } from './ownership/own-in-process.ts'
import type { Ownerships } from './ownership/ownership.ts'
import { requireStorageKey, warnOfRefused, warnOfSkipping } from './registry/check-stored.ts'
import { followRegistry } from './registry/follow-registry.ts'
import { networkPolicy } from './registry/network-policy.ts'
import { openRegistry } from './registry/open-registry.ts'
import type { Registry } from './registry/registry.ts'
import { registryFile } from './registry/registry-file.ts'
import { reseal } from './registry/reseal.ts'
import { storedAddress } from './registry/stored-signers.ts'
import { announceBulks } from './reports/announce-bulks.ts'
import { recordNodeCalls } from './reports/record-node-calls.ts'
import { recordNodes } from './reports/record-nodes.ts'
import { type RecordingReports, recordReports } from './reports/record-reports.ts'
import { surveyIdle } from './reports/survey-idle.ts'
import { openRetention } from './retention/open-retention.ts'
import { type OpenKeyService, signerContext } from './signers/open-signers.ts'
import type { Hints } from './store/hints.ts'
import { openKnownServer } from './store/postgres/known-server.ts'
import { openLines } from './store/postgres/lines.ts'
import { samplingLog } from './store/sqlite/open.ts'
import type { Store } from './store/store.ts'
import { watchStore } from './store/watch.ts'
import { watchOutage } from './store/watch-outage.ts'
import { deliverEvents } from './webhooks/deliver.ts'
import { openWebhookPoster } from './webhooks/post-webhook.ts'

interface Surroundings extends StoreSurroundings, NodeSurroundings {
  readonly clock: Clock
  readonly processStates: ProcessStates
  readonly random: Random
  readonly logger: Logger
  readonly version: string
  /** Where `docs/` is. Absent: its pages are not served. */
  readonly packageRoot?: URL
  /** Absent: nothing is counted, and no metrics are served. */
  readonly metrics?: Metrics & Exposition
  /** False: idle relayers are not looked at, and the last observation of a relayer is not stored. */
  readonly reportsOwners?: boolean
  /** False: nothing looks for foreign uses of keys. */
  readonly watchesForeignUse?: boolean
  /** False: bulk cancellations make no events. */
  readonly announcesBulks?: boolean
  /** How a key service is reached; by its provider's protocol by default. */
  readonly openKeyService?: OpenKeyService
}

/** Advances its relayers as soon as it is composed; serves requests once `listen` is called. Disposing drains. */
interface Service extends AsyncDisposable {
  /** Resolves to the URLs of the API and, where they are served, of the metrics. */
  listen(): Promise<{ readonly url: string; readonly metrics?: string }>
}

/** The service without its HTTP servers: commands, and advancing relayers. Disposing lets steps under way finish. */
export interface Engine extends AsyncDisposable {
  readonly commands: CommandContext
  readonly management: ManagementContext
  readonly stops: BulkStops
  /** Present where there are replicas. */
  readonly hints?: Hints
  readonly states: RelayerStates
  /** Whether this process owns the relayer at the moment. */
  readonly owns: (relayer: RelayerId) => boolean
}

/** Throws ConfigError or OperatorError for a mistake that the operator can fix. */
export async function compose(config: Config, around: Surroundings): Promise<Service> {
  await using opened = new AsyncDisposableStack()
  const engine = opened.use(await composeEngine(config, around))
  if (config.role !== 'api') {
    opened.use(openRetention(config, { ...around, present: presentArchived }, engine))
    opened.use(deliver(config, around, engine))
    opened.use(reportNodes(config, around, engine))
  }
  const { logger, processStates } = around
  opened.use(watchRoom({ ...engine.commands, logger, processStates, limits: config.limits }))
  const rates = rateLimits(config.server.rateLimit)
  if (engine.hints) {
    const self = freshId<string>(around.random, around.clock.now())
    opened.use(shareRates({ rates, hints: engine.hints, clock: around.clock, self }))
  }
  const stopping = new AbortController()
  // Metrics are served until the last request has ended, so that a drain can be watched.
  const metricsServer = around.metrics && opened.use(serveMetrics(around.metrics, engine, around, config))
  const { commands, management, states } = engine
  const { chainOf, signerOf, policyOf } = management.registry
  const { registry } = management
  const { reads } = commands.store
  opened.use(reportAtStart({ registry, reads, logger: around.logger, observed: states.observed }))
  const server = opened.use(
    await openServer({
      ...{ commands, management, stops: engine.stops, chainOf, signerOf, policyOf, windowOf: states.windowOf },
      serves: config.role === 'worker' ? 'probes' : config.server.isDocumented ? 'everything' : 'operations',
      limits: {
        ...config.server.rateLimit,
        rpcAnswerBytesMax: config.server.rpcAnswerBytesMax,
        idleConnectionMs: config.server.idleConnectionMs,
      },
      ...{ rates, eventIdSecret: config.server.apiKey },
      trustedProxies: config.server.trustedProxies,
      authenticate: administratorBy(config.server.apiKey.reveal()),
      ...(config.server.hasDashboard && { sessionDigest: sessionDigestBy(config.server.apiKey.reveal()) }),
      ...(config.isStrict && { isStrict: true }),
      logger: around.logger,
      metrics: (around.metrics ?? noMetrics).http,
      readiness: {
        stopping: stopping.signal,
        check: () => engine.commands.store.check(),
        relayers: () => relayersByState(states, management.registry),
        conditions: around.processStates.held,
      },
      ...{ version: around.version, packageRoot: around.packageRoot },
    }),
  )
  opened.defer(() => stopping.abort())
  // Requests end first, then the steps under way, then the networks, and last the store, which all of them write to.
  const everything = opened.move()
  return {
    async listen() {
      const { host, port, metrics: at } = config.server
      const metrics = at && (await metricsServer?.listen({ ...at, isHostOfApi: at.host === host }))
      return { url: await server.listen({ host, port }), ...(metrics !== undefined && { metrics }) }
    },
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  }
}

/** Only those of relayers that this process advances. */
function reportNodes(config: Config, { clock, random, logger }: Surroundings, engine: Engine): AsyncDisposable {
  const { registry, store } = engine.management
  // Another process on the file is none that runs: it takes over the row.
  const replica = config.database.kind === 'sqlite' ? 'single' : freshId<string>(random, clock.now())
  if (config.database.kind !== 'sqlite')
    logger.info({ replica }, 'the nodes that this process uses are reported by this id')
  const toRecord = () => registry.chainsOf(registry.relayers().filter(({ id }) => engine.owns(id)))
  return recordNodes({ store, clock, logger, replica, toRecord })
}

/** Webhook delivery reads the outbox. The engine does not depend on it. */
function deliver(config: Config, around: Surroundings, engine: Engine): AsyncDisposable {
  const { clock, random, logger, version } = around
  const { webhooks: metrics } = around.metrics ?? noMetrics
  const { registry, guard } = engine.management
  const { store } = engine.commands
  const opened = new AsyncDisposableStack()
  warnOfRefused(registry.notifications(), guard, logger)
  const poster = openWebhookPoster({ clock, guard, userAgent: `rescind/${version}` })
  opened.defer(() => poster.close())
  const webhookOf = (notificationId: string) => registry.notifications().find(({ id }) => id === notificationId)
  // The lock on the file makes this the only process, so it takes over an earlier process's leases at once.
  const owner =
    config.database.kind === 'sqlite' ? 'the process that holds the database' : freshId<string>(random, clock.now())
  opened.use(deliverEvents({ store, clock, random, logger, metrics, owner, webhookOf, present: presentEvent, poster }))
  return opened
}

export async function composeEngine(config: Config, around: Surroundings): Promise<Engine> {
  const { clock, random, logger, metrics } = around
  const { limits } = config
  await using opened = new AsyncDisposableStack()
  const shared = { lines: openLines(), server: openKnownServer(random) }
  const store = opened.use(await openWatchedStore(config, around, shared))
  const counts = metrics ?? noMetrics
  const calls = metrics && opened.use(recordNodeCalls({ store, clock, logger }))
  const known = { metrics: counts.signers, storedAddress: storedAddress(store), proxies: config.proxies }
  const signing = signerContext({ ...around, log: logger, ...known })
  const { signers, awaited, faulty } = await openFileSigners(config, signing, store)
  const parsed = withoutFaulty(config, faulty)
  opened.defer(async () => void (await Promise.all([...signers.values()].map((signer) => signer.close?.()))))
  const { openStored, ...forRequests } = signerSources(signing, config.signerEnvironment)
  const vault = openVault(config.encryption, random)
  await reseal(store, vault, logger)
  const file = registryFile(parsed, signers)
  refuseSharedAddresses(file.relayers)
  refusePublishedAccounts(file.relayers)
  const registry = opened.use(
    await openRegistry({
      store,
      vault,
      logger,
      file,
      fileSigners: signers,
      openSigner: openStored,
      chains: openChains((network: NetworkSettings) => openChain(network, config, around, store, calls)),
      policyFor: (network) => networkPolicy(network, limits),
      clock,
    }),
  )
  const hosts = await guardHosts(config, registry, store)
  const { canBeAdvanced, chainOf, signerOf, policyOf, profileOf } = registry
  const hasNotification = (id: string) => registry.notifications().some((each) => each.id === id)
  const inFile = { file: file.relayers, awaited: file.awaited }
  await syncConfiguredRelayers({ store, ...inFile, canBeAdvanced, hasNotification, logger })
  await requireStorageKey(store, vault)
  await warnOfSkipping(registry, store, logger)

  const sharing = openSharing(config.database, around, { ...shared, keys: messageKeys(config) })
  if (sharing) {
    opened.use(sharing.hints)
    opened.use(followRegistry({ registry, hints: sharing.hints, clock, logger }))
  }
  const [states, observations] = [watchRelayers(), passObservations()]
  const reports = around.reportsOwners === false ? undefined : opened.use(recordReports({ store, clock, logger }))
  const context: StepContext = {
    ...{ store, vault, clock, random, logger, chainOf, signerOf, policyOf, limits },
    observer: reportToAll(states.observer, counts.relayers, observations, ...(reports ? [reports.observer] : [])),
  }
  const ownerships = sharing ? ownByLocks({ store, clock, logger, ...sharing }) : ownInProcess(store)
  const reconciling = opened.use(await advanceAll({ ...around, config, context, registry, reports, ownerships }))
  await registry.assignTo(reconciling ? ownerships.assign : async () => undefined)

  const announce = () => sharing?.hints.notify({ kind: 'registry' })
  const awaiting = { awaited, parsed, signers, registry, store, clock, logger, announce }
  const { whyAwaited, awaitedCode } = opened.use(awaitSigners(awaiting))
  const commands: CommandContext = {
    ...{ store, clock, random },
    wake(relayer, cause) {
      // The engine begins a moment later, so that its step does not delay the response. A hint for another process begins no step.
      if (reconciling?.owns(relayer)) clock.afterThis(() => ownerships.wake(relayer, cause))
      else ownerships.wake(relayer)
    },
    ...{ queueRooms: openQueueRooms(sharing ? limits.queueMax : limits.queueMaxOnSqlite), whyAwaited, profileOf },
  }
  const managing = { announce, registry, vault, logger, ...hosts, awaitedCode, ...forRequests, readPolicies }
  const management = { ...commands, ...managing }
  const stops = observations.passTo(opened.use(openStops(management, limits, sharing !== undefined)))
  const everything = opened.move()
  return {
    ...{ commands, management, stops, states },
    ...(sharing && { hints: sharing.hints }),
    owns: (relayer) => reconciling?.owns(relayer) ?? false,
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  }
}

/** Under which replicas seal their messages, and open them. */
function messageKeys({ server }: Config): readonly Secret[] {
  return [server.apiKey, ...(server.apiKeyPrevious ? [server.apiKeyPrevious] : [])]
}

type Shared = Parameters<typeof openStore>[2]

async function openWatchedStore(config: Config, around: Surroundings, shared: Shared): Promise<Store> {
  const { logger, metrics, processStates, clock } = around
  const opened = await openStore(config.database, around, shared)
  if (opened.isReplaced) processStates.watch('database_replaced', opened.isReplaced)
  const store = watchOutage(opened, { logger, states: processStates, clock })
  return metrics ? watchStore(store, logChanges(metrics.store, logger)) : store
}

interface AdvancingAll extends Pick<Surroundings, 'announcesBulks' | 'watchesForeignUse'> {
  readonly config: Pick<Config, 'role'>
  readonly context: StepContext
  readonly registry: Pick<Registry, 'relayers'>
  /** Absent: idle relayers are not looked at. */
  readonly reports: RecordingReports | undefined
  readonly ownerships: Ownerships
}

/** Those with open transactions by steps, and the others by surveys. Undefined for a replica that only serves requests. */
async function advanceAll(given: AdvancingAll): Promise<Reconciling | undefined> {
  const { config, context, registry, reports, ownerships, announcesBulks = true, watchesForeignUse = true } = given
  if (config.role === 'api') return undefined
  await using opened = new AsyncDisposableStack()
  const { owns, ownershipOf } = opened.use(await reconcile(context, ownerships))
  if (announcesBulks) opened.use(announceBulks(context))
  const { relayers } = registry
  if (reports) opened.use(surveyIdle({ context, relayers, owns, reports, wake: ownerships.wake }))
  if (watchesForeignUse) opened.use(watchForeignUse({ context, relayers, ownershipOf, ...(reports && { reports }) }))
  const everything = opened.move()
  return { owns, ownershipOf, [Symbol.asyncDispose]: () => everything.disposeAsync() }
}

function serveMetrics(
  metrics: Metrics & Exposition,
  engine: Engine,
  { clock, logger }: Surroundings,
  { database }: Config,
): MetricsServer {
  const { reads } = engine.commands.store
  const samples = [
    samplingRelayers(reads, metrics.relayers),
    samplingWebhooks(reads, metrics.webhooks),
    ...(database.kind === 'sqlite' ? [samplingLog(database.path, metrics.store)] : []),
  ]
  const sample = async () => void (await Promise.all(samples.map((each) => each())))
  return openMetricsServer({ expose: metrics.expose, sample, clock, logger })
}

/** Side by side where there are replicas, and one after the other on SQLite. */
function openStops(management: ManagementContext, limits: Config['limits'], isShared: boolean): BulkStops {
  return stopRelayers({
    ...{ context: management, logger: management.logger, atOnce: isShared ? limits.bulkStopsAtOnce : 1 },
    ...(isShared && { lookEveryMs: limits.bulkLookEveryMs }),
    ...reckoningOf(management.registry),
    pause: (session, id, requester, now) => pauseRelayer(management, session, id, requester, now),
    takeEffect: () => takeEffect(management),
  })
}

/** Passes the engine's observations to the bulk cancellations, which are opened after the engine. */
function passObservations(): Partial<RelayerObserver> & { passTo(stops: BulkStops): BulkStops } {
  let stops: BulkStops | undefined
  const observed = (relayer: Relayer) => stops?.observed(relayer)
  return {
    ...{ observed, surveyed: observed },
    passTo(opened) {
      stops = opened
      return opened
    },
  }
}

/** What a cancellation costs, by what this process last observed. */
function reckoningOf({
  policyOf,
  chainOf,
  networks,
}: Registry): Pick<Parameters<typeof stopRelayers>[0], 'reckoning' | 'symbolOf'> {
  const priceOf = (relayer: Relayer) => {
    const [market, price] = [networkMarket(chainOf, relayer), networkPrice(chainOf, relayer)]
    return market && price && { market, block: price.block }
  }
  return {
    reckoning: { policyOf, priceOf },
    symbolOf: ({ network }) => networks().find(({ name }) => name === network)?.symbol ?? network,
  }
}
