// The session over one executor: each query is in the file of its verb.
import { apiKeysInForce, findApiKey, insertApiKey, revokeApiKey, useApiKey } from './access/api-keys.ts'
import { type AuditPad, pruneAudit } from './access/audit-log.ts'
import { dashboardChanges } from './access/dashboard-sessions.ts'
import type { BulkChanges } from './bulk-port.ts'
import { redeliver } from './deliveries/dead-letters.ts'
import { advanceQueue } from './deliveries/delivery-queues.ts'
import { giveUpOverdue } from './deliveries/give-up.ts'
import { publishTest } from './deliveries/publish-test.ts'
import { pruneEvents } from './events/prune-events.ts'
import { anchorChanges } from './registry/anchors.ts'
import { pruneContradictions, recordContradiction } from './registry/contradictions.ts'
import { findEntity, raiseRevision, removeEntity, saveEntity } from './registry/entities.ts'
import { markNetwork } from './registry/network-pauses.ts'
import { nodeReportChanges } from './registry/node-reports.ts'
import { tipMarkChanges } from './registry/tip-marks.ts'
import { foreignUseChanges } from './relayers/foreign-uses.ts'
import { gapRecordChanges } from './relayers/gap-record.ts'
import { giveUpChanges } from './relayers/give-ups.ts'
import { proveLocks } from './relayers/prove-locks.ts'
import {
  acquireRelayer,
  completeHistoryCheck,
  fenceRelayer,
  findRelayer,
  findRelayerOf,
  raiseFloor,
  relayerIds,
  relayersUsing,
  reserveSequence,
  reserveSequences,
  saveRelayer,
} from './relayers/relayers.ts'
import { hasOpen, removeRelayer } from './relayers/remove-relayer.ts'
import { ownerReportChanges, removeOwnerReports } from './reports/owner-reports.ts'
import type { Executor } from './statement.ts'
import type { Session } from './store.ts'
import { announceBulk } from './transactions/bulk/announce-bulk.ts'
import { recordBulk } from './transactions/bulk/bulk-rows.ts'
import { cancelPending, takeBulk } from './transactions/bulk/cancel-pending.ts'
import { pruneBulks } from './transactions/bulk/prune-bulks.ts'
import { figureChangesOver } from './transactions/counted/figures.ts'
import { countPending, type Tallies } from './transactions/counted/tallies.ts'
import { findSweep, lockCurrent, lockTransaction } from './transactions/rows/find-transaction.ts'
import { claim } from './transactions/written/claim.ts'
import { labelChangesOver } from './transactions/written/labels.ts'
import { presignedChanges } from './transactions/written/presigned-no-ops.ts'
import { pruneClaims } from './transactions/written/prune-claims.ts'
import { removeEnded } from './transactions/written/prune-ended.ts'
import { insertTransaction, saveTransaction } from './transactions/written/save-transaction.ts'

export function sessionOver(executor: Executor, tallies: Tallies, pad: AuditPad): Session {
  return {
    relayer: (id) => findRelayer(executor, id),
    saveRelayer: (relayer) => saveRelayer(executor, relayer),
    async removeRelayer(id, now) {
      const removed = await removeRelayer(executor, id, now)
      if (removed) await removeOwnerReports(executor, removed, now)
    },
    proveLocks: (proof) => proveLocks(executor, proof),
    relayerOf: (chainId, address) => findRelayerOf(executor, chainId, address),
    relayersUsing: (kind, id) => relayersUsing(executor, kind, id),
    hasOpen: (id) => hasOpen(executor, id),
    entity: (kind, id) => findEntity(executor, kind, id),
    saveEntity: (entity) => saveEntity(executor, entity),
    removeEntity: (kind, id) => removeEntity(executor, kind, id),
    raiseRevision: async () => {
      await raiseRevision(executor)
    },
    reserveSequence: (id) => reserveSequence(executor, id),
    reserveSequences: (id, count) => reserveSequences(executor, id, count),
    pending: (id) => countPending(executor, tallies, id),
    transaction: (relayerId, id) => lockTransaction(executor, relayerId, id),
    current: (known) => lockCurrent(executor, known),
    insertTransaction: (transaction) => insertTransaction(executor, tallies, transaction),
    ...labelChangesOver(executor),
    claim: (claimed, ids, now) => claim(executor, claimed, ids, now),
    saveTransaction: (before, after, now) => saveTransaction(executor, tallies, before, after, now),
    apiKey: (id) => findApiKey(executor, id),
    apiKeysInForce: () => apiKeysInForce(executor),
    insertApiKey: (key, digest) => insertApiKey(executor, key, digest),
    revokeApiKey: (id, by, now) => revokeApiKey(executor, id, by, now),
    recordAudit: (decision) => pad.recordAudit(decision),
    removeEnded: (relayerId, ids) => removeEnded(executor, tallies, relayerId, ids),
    pruneClaims: (before, now, rows) => pruneClaims(executor, before, now, rows),
    pruneAudit: (keep, rows) => pruneAudit(executor, keep, rows),
    pruneBulks: (keep, rows) => pruneBulks(executor, keep, rows),
    ...presignedChanges(executor),
    useApiKey: (id, at) => useApiKey(executor, id, at),
    ...dashboardChanges(executor),
    ...gapRecordChanges(executor),
    markNetwork: (network, pause) => markNetwork(executor, network, pause),
    ...anchorChanges(executor),
    recordContradiction: (network, contradiction, max) => recordContradiction(executor, network, contradiction, max),
    pruneContradictions: (before) => pruneContradictions(executor, before),
    ...ownerReportChanges(executor),
    ...foreignUseChanges(executor),
    ...nodeReportChanges(executor),
    sweep: (relayerId) => findSweep(executor, relayerId),
    ...giveUpChanges(executor),
    ...tipMarkChanges(executor),
    ...bulkChanges(executor, tallies),
    acquire: (id) => acquireRelayer(executor, id),
    fence: (id, epoch) => fenceRelayer(executor, id, epoch),
    completeHistoryCheck: (id) => completeHistoryCheck(executor, id),
    raiseFloor: (id, floor) => raiseFloor(executor, id, floor),
    advanceQueue: (advance) => advanceQueue(executor, advance),
    publishTest: (notificationId, now) => publishTest(executor, notificationId, now),
    redeliver: (notificationId, events, limit, now) => redeliver(executor, notificationId, events, limit, now),
    giveUpOverdue: (notificationId, retention, now) => giveUpOverdue(executor, notificationId, retention, now),
    pruneEvents: (retention, now) => pruneEvents(executor, retention, now),
    ...figureChangesOver(executor),
  }
}

function bulkChanges(executor: Executor, tallies: Tallies): BulkChanges {
  return {
    relayerIds: () => relayerIds(executor),
    announceBulk: (id, now) => announceBulk(executor, id, now),
    recordBulk: (bulk) => recordBulk(executor, bulk),
    takeBulk: (part, now, reckoning) => takeBulk(executor, tallies, part, { now, reckoning }),
    cancelPending: (relayerId, now, by) => cancelPending(executor, tallies, relayerId, now, by),
  }
}
