// The HTTP server: Fastify with our door, our errors and our routes.

import type { IncomingMessage } from 'node:http'
import swagger from '@fastify/swagger'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { BulkStops } from '../../commands/bulk-cancellations/stop-relayers.ts'
import type { CommandContext } from '../../commands/context.ts'
import type { SessionDigest } from '../../commands/dashboard/session-token.ts'
import { followEvents } from '../../commands/events/follow-events.ts'
import type { ManagementContext } from '../../commands/management.ts'
import type { ChainOf } from '../../commands/relayers/read-status.ts'
import type { SignerOf } from '../../commands/relayers/sign.ts'
import { RescindError } from '../../domain/errors.ts'
import type { RelayerId } from '../../domain/ids.ts'
import type { NetworkPolicy, Relayer } from '../../domain/relayer.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Logger } from '../../ops/logger.ts'
import type { HttpMetrics } from '../../ops/metrics.ts'
import type { Secret } from '../../ops/secret.ts'
import type { UnknownPage } from '../dashboard/assets.ts'
import { openIdSeal } from '../events/seal-ids.ts'
import {
  bodyBytesMaxDefault,
  connectionTimeoutMs,
  headerBytesMax,
  headersTimeoutMs,
  longPagesMax,
  longPagesPerKeyMax,
  previewsMax,
  previewsPerKeyMax,
  requestTimeoutMs,
  type ServerLimits,
  slowClientsEveryMs,
} from '../limits.ts'
import { type Auditor, openAuditor } from '../request/audit.ts'
import type { Authenticate } from '../request/authenticate.ts'
import { type Access, openAccess } from '../request/authenticate-request.ts'
import { authorize, markAnswer, type RequestGuards } from '../request/authorize.ts'
import { cleanForwarded } from '../request/clean-forwarded.ts'
import { rewriteDashboardUrl } from '../request/dashboard-request.ts'
import { type RateLimits, rateLimits } from '../request/limit-rate.ts'
import type { Mounting } from '../request/mount.ts'
import { pathParametersOf } from '../request/parameters.ts'
import { parseJsonExactly } from '../request/parse-json.ts'
import { basePath, isUnder, pathOf, shownPath, withoutMoreSlashes } from '../request/path-of.ts'
import { limitReads, openTurns } from '../request/places.ts'
import { requestIds } from '../request/request-id.ts'
import { compileValidator } from '../request/validate.ts'
import type { Readiness } from '../service/probes.ts'
import { loggingIgnored } from '../transactions/ignored-members.ts'
import { documentationRoutes } from './documentation.ts'
import { errorHandler } from './errors.ts'
import { limitUnproven } from './limit-unproven.ts'
import { limitUnread } from './limit-unread.ts'
import { listenError } from './listen-error.ts'
import { describeApi } from './openapi.ts'
import { refuseConnection, refuseExpectation } from './refuse-connection.ts'
import {
  apiKeyRoutes,
  bulkRoutes,
  dashboardRoutes,
  eventRoutes,
  networkRoutes,
  notificationRoutes,
  relayerRoutes,
  serviceRoutes,
  signerRoutes,
  signingRoutes,
  transactionRoutes,
  unsupportedRoutes,
} from './routes.ts'

export interface ServerOptions {
  readonly commands: CommandContext
  readonly management: ManagementContext
  /** How a bulk cancellation stops its relayers. */
  readonly stops: Pick<BulkStops, 'stopAll' | 'costingOf' | 'reckoning'>
  readonly chainOf: ChainOf
  readonly signerOf: SignerOf
  readonly policyOf: (relayer: Relayer) => NetworkPolicy
  readonly windowOf: (relayer: RelayerId) => number | undefined
  /** `operations`: not the OpenAPI document and its page. `probes`: only the endpoints about the process itself. */
  readonly serves?: 'everything' | 'operations' | 'probes'
  readonly limits: ServerLimits
  /** Default: `limits`, for this server alone. */
  readonly rates?: RateLimits
  readonly authenticate: Authenticate
  /** Common to all processes on the database: from it derives the key that seals ids of events. */
  readonly eventIdSecret: Secret
  /** The digest of a session's token; absent where no dashboard is served. */
  readonly sessionDigest?: SessionDigest
  readonly logger: Logger
  readonly metrics: HttpMetrics
  readonly readiness: Readiness
  /** Whether a send with a member without effect is refused; by default the response and the log name the member. */
  readonly isStrict?: boolean
  readonly version: string
  /** Where `docs/` is. Absent: its pages are not served. */
  readonly packageRoot?: URL | undefined
  /** Addresses or CIDR ranges of proxies whose X-Forwarded-For is believed; none by default. */
  readonly trustedProxies?: readonly string[]
}

interface Server extends AsyncDisposable {
  /** Resolves to the URL once connections are taken. Rejects with OperatorError where the address can't be used. */
  listen(at: { host: string; port: number }): Promise<string>
  /** Throws before `listen` has resolved. */
  readonly url: string
}

/**
 * Disposing drains: what was begun is answered and its connection closed, waits end early, and once nobody listens any more new
 * requests are refused with SHUTTING_DOWN.
 */
export async function openServer(options: ServerOptions): Promise<Server> {
  const { logger, authenticate, limits } = options
  const draining = new AbortController()
  const stopping = AbortSignal.any([draining.signal, options.readiness.stopping])
  const auditor = openAuditor(options.commands, logger)
  const access = openAccess({ administrator: authenticate, ...options.commands, logger }, options.sessionDigest)
  const door = openDoor(options, access, auditor)
  const handleError = errorHandler(logger, auditor, options.commands.whyAwaited)
  const newRequestId = requestIds(options.commands.random)

  const app = Fastify({
    logger: false,
    genReqId: newRequestId,
    bodyLimit: limits.bodyBytesMax ?? bodyBytesMaxDefault,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: limits.connectionTimeoutMs ?? connectionTimeoutMs,
    ...(limits.idleConnectionMs !== undefined && { keepAliveTimeout: limits.idleConnectionMs }),
    // A request without Host is ours to refuse, in the form of every other refusal.
    http: {
      maxHeaderSize: headerBytesMax,
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: slowClientsEveryMs,
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: headerBytesMax },
    return503OnClosing: false,
    rewriteUrl: rewriting(options),
    ...(options.trustedProxies && { trustProxy: [...options.trustedProxies] }),
    clientErrorHandler: refuseConnection(logger, newRequestId),
    // Hooks do not run for a path that does not decode, so it passes the door here.
    frameworkErrors: (error, request, reply) => {
      markAnswer(request, reply)
      const admitted = isApi(request.raw.url) ? authorize(door, {}, request, reply) : Promise.resolve()
      admitted.then(
        () => handleError(error, request, reply),
        (refused: unknown) => handleError(refused, request, reply),
      )
    },
  })

  if (options.trustedProxies) app.server.prependListener('request', cleanForwarded)
  // A body on DELETE means nothing (RFC 9110 §9.3.5), so it is not parsed either, whatever its type or shape.
  app.addHttpMethod('DELETE', { hasBody: false, overrideExisting: true })
  parseJsonExactly(app, door.rates)
  app.setValidatorCompiler(compileValidator)
  app.setSerializerCompiler(() => JSON.stringify)
  app.setErrorHandler(handleError)
  app.decorateRequest('principal', undefined)
  app.decorateRequest('keyId', undefined)
  const methodsOf = allowedMethods(app)
  let unknownPage: UnknownPage | undefined
  await app.register(swagger, describeApi(options.version))

  app.addHook('onRequest', (request, reply, done) => {
    markAnswer(request, reply)
    if (draining.signal.aborted && !app.server.listening) {
      throw new RescindError('SHUTTING_DOWN', 'shutting down; send it again elsewhere')
    }
    // RFC 9112 §3.2: proxies before the service may follow another Host than the service would.
    const hosts = hostsOf(request.raw)
    if (hosts > 1 || (hosts === 0 && request.raw.httpVersion === '1.1')) {
      throw new RescindError('MALFORMED_HTTP', 'Bad Request')
    }
    if (!request.is404) return done()
    if (unknownPage && wantsPage(request)) return void unknownPage(request, reply).catch(done)
    const admitted = isApi(request.raw.url) ? authorize(door, {}, request, reply) : Promise.resolve()
    admitted.then(() => done(missing(methodsOf(request.raw.url ?? ''), request.method, reply)), done)
  })
  app.server.on('checkExpectation', refuseExpectation(logger, newRequestId))
  limitConnections(app, options.commands.clock)
  endAnswers(app, options, draining.signal)

  const at = { app, door, metrics: options.metrics }
  serviceRoutes({ ...at, tag: 'service' }, { ...options, clock: options.commands.clock })
  if (options.serves !== 'probes') unknownPage = operations(at, options, access, stopping)
  await app.ready()
  return serverOf(app, draining, auditor)
}

function limitConnections(app: FastifyInstance, clock: Clock): void {
  limitUnread(app, clock)
  limitUnproven(app)
}

function openDoor({ rates, limits }: ServerOptions, { authenticate }: Access, auditor: Auditor): RequestGuards {
  return {
    ...{ authenticate, rates: rates ?? rateLimits(limits), auditor },
    pages: openTurns(longPagesPerKeyMax, longPagesMax),
    previews: limitReads('previews', previewsPerKeyMax, previewsMax),
  }
}

/** The targets that the router reads. */
function rewriting({ sessionDigest }: ServerOptions): (request: Pick<IncomingMessage, 'url'>) => string {
  return (request) => withoutMoreSlashes(sessionDigest ? rewriteDashboardUrl(request) : (request.url ?? ''))
}

/** Adds the end of each answer: a connection ends with it during a drain, and it is counted and logged. */
function endAnswers(app: FastifyInstance, { logger, metrics }: ServerOptions, draining: AbortSignal): void {
  const unmatched = metrics.operation('unmatched')
  // A proxy would send the next request over the connection in the moment in which it is closed, and can't repeat a POST.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (draining.aborted) reply.header('connection', 'close')
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    if (request.is404) unmatched(reply.statusCode, reply.elapsedTime)
    if (logger.isLevelEnabled('debug')) logger.debug(answerFacts(request, reply), 'answered')
    // Keep-alive would delay the end of a drain by a minute for each connection with a request under way.
    if (draining.aborted) setImmediate(() => app.server.closeIdleConnections())
    done()
  })
}

function operations(
  at: Mounting,
  options: ServerOptions,
  { keys, sessions, authenticate }: Access,
  stopping: AbortSignal,
): UnknownPage | undefined {
  const { logger } = options
  const sends = { isStrict: options.isStrict ?? false, logIgnored: loggingIgnored(logger) }
  const tagged = (tag: string): Mounting => ({ ...at, tag })
  transactionRoutes(tagged('transactions'), options.commands, options, stopping, sends)
  bulkRoutes(tagged('bulk cancellations'), options.commands, options.stops)
  relayerRoutes(tagged('relayers'), options.management, options.chainOf, options.limits.rpcAnswerBytesMax)
  signerRoutes(tagged('signers'), options.management)
  notificationRoutes(tagged('notifications'), options.management)
  networkRoutes(tagged('networks'), options.management)
  unsupportedRoutes(at)
  signingRoutes(tagged('signing'), options.commands.store, options.signerOf)
  const { clock, store } = options.commands
  const feed = followEvents({ reads: store.reads, clock })
  eventRoutes(tagged('events'), options.management, {
    reads: store.reads,
    feed,
    clock,
    logger,
    authenticate,
    seal: openIdSeal(options.eventIdSecret, options.commands.random),
    stopping,
  })
  apiKeyRoutes(tagged('api keys'), options.commands, keys)
  const { sessionDigest: digestOf, version } = options
  if (options.serves !== 'operations') documentationRoutes(at, options.packageRoot)
  return digestOf && dashboardRoutes(at, { ...options.commands, ...keys, ring: sessions, digestOf, version })
}

function serverOf(app: FastifyInstance, draining: AbortController, auditor: Auditor): Server {
  let url: string | undefined
  return {
    async listen(at) {
      try {
        url = await app.listen(at)
      } catch (error) {
        throw listenError(error, { ...at, hostVariable: 'HOST', portVariable: 'APP_PORT' })
      }
      return url
    },
    get url() {
      if (url === undefined) throw new Error('the server does not listen yet')
      return url
    },
    async [Symbol.asyncDispose]() {
      draining.abort()
      await app.close()
      await auditor[Symbol.asyncDispose]()
    },
  }
}

function hostsOf({ rawHeaders }: IncomingMessage): number {
  return rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length
}

/** A person at a path that is none gets the dashboard's page about it, and a program the error. */
function wantsPage({ method, url, headers }: FastifyRequest): boolean {
  return method === 'GET' && !isApi(url) && String(headers.accept ?? '').includes('text/html')
}

/** Whether an unknown path lies where unauthenticated clients learn nothing, not even that it is unknown. */
function isApi(url = ''): boolean {
  return isUnder(basePath, url)
}

function answerFacts(request: FastifyRequest, reply: FastifyReply): object {
  const { id, method, url, principal } = request
  return {
    request_id: id,
    ...pathParametersOf(request),
    ...(principal && { key: principal.id }),
    method,
    url: shownPath(url),
    status: reply.statusCode,
    ms: reply.elapsedTime,
  }
}

/** Collects the routes as they are added. Returns methods in alphabetical order; none for an unknown path. */
function allowedMethods(app: FastifyInstance): (url: string) => readonly string[] {
  const methodsOf = new Map<string, { matches: RegExp; methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    const known = methodsOf.get(url) ?? { matches: patternOf(url), methods: new Set() }
    methodsOf.set(url, known)
    for (const name of [method].flat()) known.methods.add(name)
  })
  return (url) => {
    const path = pathOf(url)
    const matching = [...methodsOf].filter(([, { matches }]) => matches.test(path))
    // A path of its own, such as `…/pending`, also looks like one with a parameter: its own methods count.
    const parameters = (route: string) => route.split('/:').length
    const [nearest] = matching.sort(([one], [other]) => parameters(one) - parameters(other))
    return [...(nearest?.[1].methods ?? [])].sort()
  }
}

/** The refusal of a missing path or method. */
function missing(allowed: readonly string[], method: string, reply: FastifyReply): RescindError {
  if (allowed.length === 0) return new RescindError('ROUTE_NOT_FOUND', 'no such path; /docs shows those that are')
  reply.header('allow', allowed.join(', '))
  return new RescindError('METHOD_NOT_ALLOWED', `${method} is not for this path; it allows ${allowed.join(', ')}`)
}

function patternOf(url: string): RegExp {
  const segments = url.split('/').map((segment) => (segment.startsWith(':') ? '[^/]+' : segment.replaceAll('.', '\\.')))
  return new RegExp(`^${segments.join('/')}$`)
}
