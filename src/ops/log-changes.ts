// Logs durable changes of transactions. At thousands of changes a second a line for each is too much: info has the
// transactions that failed, expired or lost their race; LOG_LEVEL=debug has the rest.
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
      const message = level === 'info' ? 'a transaction failed, expired or lost its race' : 'a transaction changed'
      logger[level](facts, message)
    },
  }
}

function isNoteworthy({ to, verdict }: TransactionChange): boolean {
  return to === 'failed' || to === 'expired' || verdict?.state === 'lost' || verdict?.state === 'external'
}
