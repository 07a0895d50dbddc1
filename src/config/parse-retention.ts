// What the file says about old transactions and idempotency keys. Without it, both stay for ever.
import { resolve } from 'node:path'
import type { RetentionConfig } from './config.ts'
import { limits } from './limits.ts'
import { type Members, readMembers } from './members.ts'
import type { Report } from './report.ts'

export const retentionMembers = ['transactions_days', 'archive', 'idempotency_keys_days'] as const

/** `cwd`: what a relative path starts from. */
export function parseRetention(file: Members, cwd: string, report: Report): RetentionConfig {
  if (!file.has('retention')) return {}
  const retention = readMembers(file.raw('retention'), file.place('retention'), retentionMembers, report)
  const { transactionDaysMin, idempotencyKeyDaysMin, retentionDaysMax: max } = limits
  const transactionsDays = retention.count('transactions_days', { min: transactionDaysMin, max })
  const idempotencyKeysDays = retention.count('idempotency_keys_days', { min: idempotencyKeyDaysMin, max })
  const archive = retention.text('archive')
  if (archive !== undefined && !retention.has('transactions_days')) {
    report.problem(
      retention.place('archive'),
      'has no effect without transactions_days; set that too, or remove the member "archive"',
    )
  }
  return {
    ...(transactionsDays !== undefined && { transactionsDays }),
    ...(archive !== undefined && { archive: resolve(cwd, archive) }),
    ...(idempotencyKeysDays !== undefined && { idempotencyKeysDays }),
  }
}
