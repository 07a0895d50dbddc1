// Mounts the operations of the API: method and path of each.
import type { BulkStops } from '../../commands/bulk-cancellations/stop-relayers.ts'
import type { CommandContext } from '../../commands/context.ts'
import type { ManagementContext } from '../../commands/management.ts'
import type { ChainOf } from '../../commands/relayers/read-status.ts'
import type { SignerOf } from '../../commands/relayers/sign.ts'
import type { PreviewContext } from '../../commands/transactions/preview-cancellation.ts'
import { RescindError } from '../../domain/errors.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Store } from '../../store/store.ts'
import { createApiKey } from '../api-keys/create-api-key.ts'
import { listAuditLog } from '../api-keys/list-audit-log.ts'
import { getApiKey, listApiKeys } from '../api-keys/read-api-keys.ts'
import { revokeApiKey } from '../api-keys/revoke-api-key.ts'
import { createBulk } from '../bulk-cancellations/create-bulk.ts'
import { previewBulk } from '../bulk-cancellations/preview-bulk.ts'
import { getBulk, listBulks, listBulkTransactions } from '../bulk-cancellations/read-bulks.ts'
import { assetRoutes, type UnknownPage } from '../dashboard/assets.ts'
import { type DashboardSessions, sessionOperations } from '../dashboard/session-operations.ts'
import { listDeadLetters } from '../events/list-dead-letters.ts'
import { redeliverAllDeadLetters, redeliverDeadLetter } from '../events/redeliver.ts'
import { type EventStreams, streamEvents } from '../events/stream-events.ts'
import { testNotification } from '../events/test-notification.ts'
import { listContradictions } from '../networks/list-contradictions.ts'
import { listNodes } from '../networks/list-nodes.ts'
import { pauseNetwork, resumeNetwork } from '../networks/pause-network.ts'
import { getNetwork, listNetworks } from '../networks/read-networks.ts'
import { replaceAnchor } from '../networks/replace-anchor.ts'
import { updateNetwork } from '../networks/update-network.ts'
import { createNotification } from '../notifications/create-notification.ts'
import { deleteNotification } from '../notifications/delete-notification.ts'
import { getNotification, listNotifications } from '../notifications/read-notifications.ts'
import { updateNotification } from '../notifications/update-notification.ts'
import { acknowledgeCondition, withdrawAcknowledgment } from '../relayers/acknowledge-condition.ts'
import { createRelayer } from '../relayers/create-relayer.ts'
import { deleteRelayer } from '../relayers/delete-relayer.ts'
import { getOverview, getRelayerOverview } from '../relayers/get-overview.ts'
import { getRelayerStatus } from '../relayers/get-relayer-status.ts'
import { getSeries } from '../relayers/get-series.ts'
import { listDailySpend } from '../relayers/list-daily-spend.ts'
import { permitGapFillers } from '../relayers/permit-gap-fillers.ts'
import { getRelayer, getRelayerBalance, listRelayers } from '../relayers/read-relayers.ts'
import { rpc } from '../relayers/rpc.ts'
import { sign, signTransaction, signTypedData } from '../relayers/sign.ts'
import { getSweep, sweep } from '../relayers/sweep.ts'
import { updateRelayer } from '../relayers/update-relayer.ts'
import type { KeyRing } from '../request/key-ring.ts'
import { type Mounting, mount, unlisted } from '../request/mount.ts'
import { operation } from '../request/operation.ts'
import { health, type Readiness, ready } from '../service/probes.ts'
import { createSigner } from '../signers/create-signer.ts'
import { deleteSigner } from '../signers/delete-signer.ts'
import { probeSigner } from '../signers/probe-signer.ts'
import { getSigner, listSigners } from '../signers/read-signers.ts'
import { updateSigner } from '../signers/update-signer.ts'
import { cancel } from '../transactions/cancel.ts'
import { cancelPending } from '../transactions/cancel-pending.ts'
import { getCancellation } from '../transactions/explain-cancellation.ts'
import { listNonces } from '../transactions/list-nonces.ts'
import type { SendHandling } from '../transactions/parse-send.ts'
import { previewCancellation, previewOneCancellation } from '../transactions/preview-cancellation.ts'
import { getHold } from '../transactions/read-hold.ts'
import { getTrace, listTraces } from '../transactions/read-traces.ts'
import {
  getTransaction,
  getTransactionByNonce,
  listAttempts,
  listTransactions,
} from '../transactions/read-transactions.ts'
import { release } from '../transactions/release.ts'
import { releaseMany } from '../transactions/release-many.ts'
import { replace } from '../transactions/replace.ts'
import { search } from '../transactions/search.ts'
import { submit } from '../transactions/submit.ts'
import { submitBatch } from '../transactions/submit-batch.ts'

/** Open to everyone, and without rate limits. */
export function serviceRoutes(at: Mounting, about: { version: string; readiness: Readiness; clock: Clock }): void {
  mount(at, 'GET', '/health', health())
  mount(at, 'GET', '/ready', ready(about))
}

/** Refuses operations that clients of similar services may call. */
export function unsupportedRoutes(at: Mounting): void {
  const sponsored = ['sponsored transactions (of Stellar and Solana) are', 'send with POST …/transactions'] as const
  mount(
    at,
    'POST',
    '/relayers/:relayer_id/transactions/sponsored/build',
    refuseUnsupported('buildSponsored', ...sponsored),
  )
  mount(
    at,
    'POST',
    '/relayers/:relayer_id/transactions/sponsored/quote',
    refuseUnsupported('quoteSponsored', ...sponsored),
  )
  const plugins = ['plug-ins are', 'call this API from a program of your own'] as const
  mount(at, 'GET', '/plugins', refuseUnsupported('listPlugins', ...plugins))
  mount(at, 'GET', '/plugins/:plugin_id', refuseUnsupported('getPlugin', ...plugins))
  mount(at, 'PATCH', '/plugins/:plugin_id', refuseUnsupported('updatePlugin', ...plugins))
  mount(at, 'GET', '/plugins/:plugin_id/call', refuseUnsupported('callPluginGet', ...plugins))
  mount(at, 'POST', '/plugins/:plugin_id/call', refuseUnsupported('callPlugin', ...plugins))
}

/** `what` is the subject of the sentence, `instead` the alternative. */
function refuseUnsupported(operationId: string, what: string, instead: string) {
  return operation({
    scope: 'read',
    operationId,
    hide: true,
    async answer() {
      throw new RescindError('NOT_SUPPORTED', `${what} not supported; ${instead}`)
    },
  })
}

export function transactionRoutes(
  at: Mounting,
  commands: CommandContext,
  chain: Pick<PreviewContext, 'chainOf' | 'policyOf' | 'windowOf'>,
  stopping: AbortSignal,
  sends: SendHandling,
): void {
  const { reads } = commands.store
  const all = '/relayers/:relayer_id/transactions'
  mount(at, 'POST', all, submit(commands, sends))
  mount(at, 'POST', `${all}/batch`, submitBatch(commands, sends))
  mount(at, 'POST', `${all}/release`, releaseMany(commands, at.door.auditor))
  mount(at, 'GET', all, listTransactions(reads))
  // Clients of OpenZeppelin Relayer list transactions at this path.
  mount(at, 'GET', `${all}/`, unlisted(listTransactions(reads)))
  mount(at, 'GET', '/relayers/:relayer_id/traces', listTraces(reads))
  mount(at, 'DELETE', `${all}/pending`, cancelPending(commands, at.door.auditor, chain))
  const previewed = { ...chain, reads, clock: commands.clock }
  mount(at, 'GET', `${all}/pending/cancellation-preview`, previewCancellation(previewed, at.door.previews))
  mount(at, 'GET', '/relayers/:relayer_id/nonces', listNonces(reads))
  mount(at, 'GET', '/search', search({ reads, chainOf: chain.chainOf }))
  mount(at, 'GET', `${all}/by-nonce/:nonce`, getTransactionByNonce(reads))
  mount(at, 'GET', `${all}/:transaction_id`, getTransaction(reads))
  mount(at, 'PUT', `${all}/:transaction_id`, replace(commands, sends))
  mount(at, 'DELETE', `${all}/:transaction_id`, cancel(commands, at.door.auditor, chain, stopping))
  mount(at, 'GET', `${all}/:transaction_id/cancellation`, getCancellation({ ...chain, reads }))
  mount(at, 'GET', `${all}/:transaction_id/hold`, getHold(reads))
  mount(at, 'POST', `${all}/:transaction_id/release`, release(commands, at.door.auditor))
  mount(at, 'GET', `${all}/:transaction_id/attempts`, listAttempts(reads))
  mount(at, 'GET', `${all}/:transaction_id/trace`, getTrace(reads))
  mount(at, 'GET', `${all}/:transaction_id/cancellation-preview`, previewOneCancellation(previewed))
}

export function bulkRoutes(
  at: Mounting,
  commands: CommandContext,
  stops: Pick<BulkStops, 'stopAll' | 'costingOf' | 'reckoning'>,
): void {
  const { reads } = commands.store
  const one = '/bulk-cancellations/:bulk_cancellation_id'
  mount(at, 'POST', '/bulk-cancellations', createBulk(commands, stops))
  mount(at, 'POST', '/bulk-cancellations/preview', previewBulk(commands, stops, at.door.previews))
  mount(at, 'GET', '/bulk-cancellations', listBulks(reads))
  mount(at, 'GET', one, getBulk(reads))
  mount(at, 'GET', `${one}/transactions`, listBulkTransactions(reads))
}

export function relayerRoutes(
  at: Mounting,
  management: ManagementContext,
  chainOf: ChainOf,
  rpcAnswerBytesMax?: number,
): void {
  const { reads } = management.store
  const { endpointsOf, policyOf } = management.registry
  const source = { reads, chainOf, policyOf, clock: management.clock }
  const acknowledgment = '/relayers/:relayer_id/conditions/:condition/acknowledgment'
  mount(at, 'GET', '/overview', getOverview(source))
  mount(at, 'GET', '/daily-spend', listDailySpend(reads, management.clock))
  mount(at, 'GET', '/series', getSeries(reads, management.clock))
  mount(at, 'POST', '/relayers', createRelayer(management))
  mount(at, 'GET', '/relayers', listRelayers(reads, endpointsOf))
  mount(at, 'GET', '/relayers/:relayer_id', getRelayer(reads, endpointsOf))
  mount(at, 'PATCH', '/relayers/:relayer_id', updateRelayer(management))
  mount(at, 'DELETE', '/relayers/:relayer_id', deleteRelayer(management))
  mount(at, 'GET', '/relayers/:relayer_id/overview', getRelayerOverview(source))
  mount(at, 'PUT', acknowledgment, acknowledgeCondition(management))
  mount(at, 'DELETE', acknowledgment, withdrawAcknowledgment(management))
  mount(at, 'GET', '/relayers/:relayer_id/status', getRelayerStatus(reads, chainOf))
  mount(at, 'GET', '/relayers/:relayer_id/balance', getRelayerBalance(reads, chainOf))
  mount(at, 'POST', '/relayers/:relayer_id/gap-fillers', permitGapFillers(management))
  mount(at, 'POST', '/relayers/:relayer_id/sweep', sweep(management))
  mount(at, 'GET', '/relayers/:relayer_id/sweep', getSweep(reads))
  mount(at, 'POST', '/relayers/:relayer_id/rpc', rpc(reads, chainOf, rpcAnswerBytesMax))
}

export function signingRoutes(at: Mounting, store: Store, signerOf: SignerOf): void {
  mount(at, 'POST', '/relayers/:relayer_id/sign', sign(store, signerOf))
  mount(at, 'POST', '/relayers/:relayer_id/sign-typed-data', signTypedData(store, signerOf))
  mount(at, 'POST', '/relayers/:relayer_id/sign-transaction', signTransaction(store.reads))
}

export function signerRoutes(at: Mounting, management: ManagementContext): void {
  mount(at, 'POST', '/signers', createSigner(management))
  mount(at, 'GET', '/signers', listSigners(management))
  mount(at, 'GET', '/signers/:signer_id', getSigner(management))
  mount(at, 'POST', '/signers/:signer_id/probe', probeSigner(management))
  mount(at, 'PATCH', '/signers/:signer_id', updateSigner(management))
  mount(at, 'DELETE', '/signers/:signer_id', deleteSigner(management))
}

export function notificationRoutes(at: Mounting, management: ManagementContext): void {
  mount(at, 'POST', '/notifications', createNotification(management))
  mount(at, 'GET', '/notifications', listNotifications(management))
  mount(at, 'GET', '/notifications/:notification_id', getNotification(management))
  mount(at, 'PATCH', '/notifications/:notification_id', updateNotification(management))
  mount(at, 'DELETE', '/notifications/:notification_id', deleteNotification(management))
}

export function networkRoutes(at: Mounting, management: ManagementContext): void {
  mount(at, 'GET', '/networks', listNetworks(management))
  mount(at, 'GET', '/nodes', listNodes(management))
  mount(at, 'GET', '/networks/:network_id', getNetwork(management))
  mount(at, 'GET', '/networks/:network_id/contradictions', listContradictions(management))
  mount(at, 'POST', '/networks/:network_id/anchor', replaceAnchor(management))
  mount(at, 'PUT', '/networks/:network_id/pause', pauseNetwork(management))
  mount(at, 'DELETE', '/networks/:network_id/pause', resumeNetwork(management))
  mount(at, 'PATCH', '/networks/:network_id', updateNetwork(management))
}

/** The stream, the test of a notification, and the dead letters. */
export function eventRoutes(at: Mounting, management: ManagementContext, streams: EventStreams): void {
  const letters = '/notifications/:notification_id/dead-letters'
  mount(at, 'GET', '/events', streamEvents(streams))
  mount(at, 'POST', '/notifications/:notification_id/test', testNotification(management))
  mount(at, 'GET', letters, listDeadLetters(management))
  mount(at, 'POST', `${letters}/redeliver`, redeliverAllDeadLetters(management))
  mount(at, 'POST', `${letters}/:event_id/redeliver`, redeliverDeadLetter(management))
}

/** API keys, and the audit log. */
export function apiKeyRoutes(at: Mounting, commands: CommandContext, keys: KeyRing): void {
  const { reads } = commands.store
  mount(at, 'POST', '/api-keys', createApiKey(commands))
  mount(at, 'GET', '/api-keys', listApiKeys(reads))
  mount(at, 'GET', '/api-keys/:api_key_id', getApiKey(reads))
  mount(at, 'GET', '/audit-log', listAuditLog(reads))
  mount(at, 'DELETE', '/api-keys/:api_key_id', revokeApiKey(commands, keys))
}

/** The dashboard's session, its pages, and their script and style. */
export function dashboardRoutes(at: Mounting, sessions: DashboardSessions): UnknownPage {
  sessionOperations(at, sessions)
  return assetRoutes(at)
}
