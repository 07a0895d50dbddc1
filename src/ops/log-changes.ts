// Durable changes of transactions into the log. A service that stores thousands a second writes no line for each unless it
// is asked to: what ended otherwise than it was asked for is told, the rest is for LOG_LEVEL=debug.
import type { Logger } from './logger.ts'
import type { StoreMetrics, TransactionChange } from './metrics.ts'

export function logChanges(watch: StoreMetrics, logger: Logger): StoreMetrics {
  return {
    ...watch,
    changed(change) {
      watch.changed(change)
      const { relayer, transaction, from, to, reason, verdict } = change
      if (from === to && !verdict) return
      const level = isNoteworthy(change) ? 'info' : 'debug'
      if (!logger.isLevelEnabled(level)) return
      const facts = {
        relayer_id: relayer,
        transaction_id: transaction,
        ...(from !== undefined && { from }),
        to,
        ...(reason !== undefined && { reason }),
        ...(verdict && { verdict: verdict.state, ...(verdict.cost !== undefined && { cost: String(verdict.cost) }) }),
      }
      const message = level === 'info' ? 'a transaction ended otherwise than it was asked for' : 'a transaction changed'
      logger[level](facts, message)
    },
  }
}

function isNoteworthy({ to, verdict }: TransactionChange): boolean {
  return to === 'failed' || to === 'expired' || verdict?.state === 'lost' || verdict?.state === 'external'
}
