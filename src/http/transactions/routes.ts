// Mounts the operations on transactions.
import type { CommandContext } from '../../commands/context.ts'
import type { PreviewContext } from '../../commands/transactions/preview-cancellation.ts'
import { type Mounting, mount, unlisted } from '../request/mount.ts'
import { cancel } from './cancel.ts'
import { cancelPending } from './cancel-pending.ts'
import { getCancellation } from './explain-cancellation.ts'
import { exportTransactions } from './export-transactions.ts'
import { getRevert } from './get-revert.ts'
import type { SendHandling } from './parse-send.ts'
import { previewCancellation, previewOneCancellation } from './preview-cancellation.ts'
import { getHold } from './read-hold.ts'
import { getTrace, listTraces } from './read-traces.ts'
import {
  getTransaction,
  getTransactionByNonce,
  listAttempts,
  listNonces,
  listTransactions,
} from './read-transactions.ts'
import { release } from './release.ts'
import { releaseMany } from './release-many.ts'
import { replace } from './replace.ts'
import { search } from './search.ts'
import { submit } from './submit.ts'
import { submitBatch } from './submit-batch.ts'

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
  mount(at, 'GET', `${all}.csv`, exportTransactions(reads, stopping))
  mount(at, 'DELETE', `${all}/pending`, cancelPending(commands, at.door.auditor, chain))
  mount(
    at,
    'GET',
    `${all}/pending/cancellation-preview`,
    previewCancellation({ ...chain, reads, clock: commands.clock }),
  )
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
  mount(at, 'GET', `${all}/:transaction_id/revert`, getRevert(reads))
  mount(
    at,
    'GET',
    `${all}/:transaction_id/cancellation-preview`,
    previewOneCancellation({ ...chain, reads, clock: commands.clock }),
  )
}
