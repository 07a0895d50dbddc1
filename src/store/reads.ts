// Reads over one executor, outside any unit: they see committed data only.
import { findApiKey, findApiKeyByDigest, listApiKeys } from './access/api-keys.ts'
import { readAudit } from './access/audit-log.ts'
import { findDashboardSession } from './access/dashboard-sessions.ts'
import type { BulkReads } from './bulk-port.ts'
import { countQueues, listDeadLetters } from './deliveries/dead-letters.ts'
import { failingQueues, moreToDo, queuesToDo } from './deliveries/delivery-queues.ts'
import { overdueQueues } from './deliveries/give-up.ts'
import { oldestEventAt } from './events/prune-events.ts'
import { eventsAfter, findEvent, newestEvent, prunedThrough, searchEvents } from './events/read-events.ts'
import { readAnchor } from './registry/anchors.ts'
import { listContradictions } from './registry/contradictions.ts'
import { listEntities, readRevision } from './registry/entities.ts'
import { readNetworkPauses } from './registry/network-pauses.ts'
import { nodeReportReads } from './registry/node-reports.ts'
import { readTipMarks } from './registry/tip-marks.ts'
import { foreignUseReads } from './relayers/foreign-uses.ts'
import { readGapRecord } from './relayers/gap-record.ts'
import { findRelayer, findRelayersOf, listRelayers, relayerIds } from './relayers/relayers.ts'
import { isFormer } from './relayers/remove-relayer.ts'
import { findOutages, findOwnerReport, findRelayerChange } from './reports/owner-reports.ts'
import type { Executor } from './statement.ts'
import type { Reads } from './store.ts'
import { bulksToAnnounce } from './transactions/bulk/announce-bulk.ts'
import { findBulk, findBulkOfKey, findBulksOf, listBulks, listWaitingParts } from './transactions/bulk/bulk-rows.ts'
import { loadMatches } from './transactions/bulk/choose-in-bulk.ts'
import { listOfBulk } from './transactions/bulk/list-of-bulk.ts'
import { readDailySpend, readSpendOf } from './transactions/counted/daily-spend.ts'
import { readFigures } from './transactions/counted/figures.ts'
import { readNodeCalls } from './transactions/counted/node-calls.ts'
import { countByStatus, countPendingOfEach, findBacklogs } from './transactions/counted/tallies.ts'
import { listItems, listTransactions, positionOf } from './transactions/found/list-transactions.ts'
import { droppedSince, firstSequenceAbove, queueThrough } from './transactions/found/load-old-queue.ts'
import { loadConfirmedNotFinal } from './transactions/found/load-unsettled.ts'
import { loadWork } from './transactions/found/load-work.ts'
import { queueHead, readQueuedSends } from './transactions/found/queue.ts'
import { openWithHash, readStanding, relayerOfTransaction, transactionsByNonce } from './transactions/found/standing.ts'
import {
  findSweep,
  findTransaction,
  findTransactionByNonce,
  hasAttempt,
  highestNonce,
  listAttempts,
} from './transactions/rows/find-transaction.ts'
import { readLabels } from './transactions/written/labels.ts'
import { listAllPresigned } from './transactions/written/presigned-no-ops.ts'
import { endedBefore, removableAmong } from './transactions/written/prune-ended.ts'

const attemptsMax = 1_000

export function readsOver(executor: Executor): Reads {
  return {
    relayer: (id) => findRelayer(executor, id),
    relayersOf: (address) => findRelayersOf(executor, address),
    relayers: ({ page, perPage }) => listRelayers(executor, perPage, (page - 1) * perPage),
    wasRelayer: (id) => isFormer(executor, id),
    entities: () => listEntities(executor),
    networkPauses: () => readNetworkPauses(executor),
    revision: () => readRevision(executor),
    transaction: (relayerId, id) => findTransaction(executor, relayerId, id),
    transactionByNonce: (relayerId, nonce) => findTransactionByNonce(executor, relayerId, nonce),
    transactions: (relayerId, filter, page) => listTransactions(executor, relayerId, filter, page),
    transactionItems: (relayerId, filter, page) => listItems(executor, relayerId, filter, page),
    labels: (ids) => readLabels(executor, ids),
    positionOf: (relayerId, id) => positionOf(executor, relayerId, id),
    attempts: (id) => listAttempts(executor, id, attemptsMax),
    counts: (relayerId) => countByStatus(executor, relayerId),
    pending: () => countPendingOfEach(executor),
    backlogs: () => findBacklogs(executor),
    apiKey: (id) => findApiKey(executor, id),
    apiKeyOf: (digest) => findApiKeyByDigest(executor, digest),
    apiKeys: (page) => listApiKeys(executor, page),
    standing: (relayerId) => readStanding(executor, relayerId),
    transactionsByNonce: (relayerId, from, limit) => transactionsByNonce(executor, relayerId, from, limit),
    highestNonce: (relayerId) => highestNonce(executor, relayerId),
    relayerOfTransaction: (id) => relayerOfTransaction(executor, id),
    openWithHash: (relayerId, hash) => openWithHash(executor, relayerId, hash),
    figures: (range, relayerId) => readFigures(executor, range, relayerId),
    nodeCalls: (range, network) => readNodeCalls(executor, range, network),
    dailySpend: (since) => readDailySpend(executor, since),
    spendOf: (relayerId, since) => readSpendOf(executor, relayerId, since),
    dashboardSession: (digest) => findDashboardSession(executor, digest),
    audit: (limit, before) => readAudit(executor, limit, before),
    overdueQueues: (retention, now) => overdueQueues(executor, retention, now),
    oldestEventAt: () => oldestEventAt(executor),
    endedBefore: (before, from, limit) => endedBefore(executor, before, from, limit),
    removable: (relayerId, ids) => removableAmong(executor, relayerId, ids),
    presigned: () => listAllPresigned(executor),
    ...bulkReads(executor),
    work: (relayerId, queuedMax, earlier) => loadWork(executor, relayerId, queuedMax, earlier),
    confirmedNotFinal: (relayerId, due, limit) => loadConfirmedNotFinal(executor, relayerId, due, limit),
    gapRecord: (relayerId, from, now) => readGapRecord(executor, relayerId, from, now),
    anchor: (network) => readAnchor(executor, network),
    ...foreignUseReads(executor),
    ownerReport: (relayerId) => findOwnerReport(executor, relayerId),
    outages: () => findOutages(executor),
    ...nodeReportReads(executor),
    relayerChange: (relayerId) => findRelayerChange(executor, relayerId),
    sweep: (relayerId) => findSweep(executor, relayerId),
    contradictions: (network, page) => listContradictions(executor, network, page),
    tipMarks: (network, after) => readTipMarks(executor, network, after),
    queuedSends: (relayerId, limit) => readQueuedSends(executor, relayerId, limit),
    queueHead: (relayerId) => queueHead(executor, relayerId),
    queueThrough: (relayerId, sequence) => queueThrough(executor, relayerId, sequence),
    firstSequenceAbove: (relayerId, nonce) => firstSequenceAbove(executor, relayerId, nonce),
    droppedSince: (relayerId, sequence, since) => droppedSince(executor, relayerId, sequence, since),
    hasAttempt: (relayerId, nonce, hash) => hasAttempt(executor, relayerId, nonce, hash),
    events: (after, limit, wanted) => eventsAfter(executor, after, limit, wanted),
    searchEvents: (after, search, wanted) => searchEvents(executor, after, search, wanted),
    event: (id) => findEvent(executor, id),
    newestEvent: () => newestEvent(executor),
    newestGivenEvent: () => executor.givenEvent?.() ?? newestEvent(executor),
    eventsPrunedThrough: () => prunedThrough(executor),
    isLostEvent: async (id) => (await executor.isLostEvent?.(id)) ?? false,
    queuesToDo: (now) => queuesToDo(executor, now),
    moreToDo: (notificationId, busy, now) => moreToDo(executor, notificationId, busy, now),
    queueCounts: () => countQueues(executor),
    failingQueues: () => failingQueues(executor),
    deadLetterItems: (notificationId, page) => listDeadLetters(executor, notificationId, page),
  }
}

function bulkReads(executor: Executor): BulkReads {
  return {
    bulksToAnnounce: (after, limit) => bulksToAnnounce(executor, after ?? '', limit),
    waitingBulkParts: (limit, after = 0) => listWaitingParts(executor, limit, after),
    bulk: (id, relayers) => findBulk(executor, id, relayers),
    bulks: ({ page, perPage }, relayers) =>
      listBulks(executor, { limit: perPage, offset: (page - 1) * perPage }, relayers),
    bulksOf: (ids) => findBulksOf(executor, ids),
    bulkOfKey: (owner, key) => findBulkOfKey(executor, owner, key),
    bulkMatches: (relayerId, request) => loadMatches(executor, relayerId, request),
    relayerIds: () => relayerIds(executor),
    bulkTransactions: (parts, page) => listOfBulk(executor, parts, page),
  }
}
