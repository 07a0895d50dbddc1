// Sweeps a relayer: sends its whole balance away (POST), and reads its newest sweep (GET).
import { type Static, Type } from 'typebox'
import type { ManagementContext } from '../../commands/management.ts'
import { readSweep, type Sweep, sweepRelayer } from '../../commands/relayers/sweep.ts'
import { lowBaseGas } from '../../domain/gas-figures.ts'
import { executedPayload } from '../../domain/transaction.ts'
import type { Reads } from '../../store/store.ts'
import { requesterOf } from '../request/audit.ts'
import { operation } from '../request/operation.ts'
import { relayerParameters } from '../request/parameters.ts'
import { addressSchema, parseAddress } from '../request/parse-values.ts'
import { answers, success } from '../response/envelope.ts'
import { address, closed, count, optionalInteger, some, wei } from '../response/forms.ts'
import { found, foundHistory } from '../response/found.ts'
import { presentTransaction, transactionExample, transactionSchema } from '../transactions/present-transaction.ts'

const bodySchema = closed('SweepRequest', { examples: [{ to: some.address }] })({
  to: addressSchema('the address that gets the balance: 0x and 40 hex digits, in one case or with its EIP-55 checksum'),
  gas_limit: optionalInteger({
    minimum: lowBaseGas,
    maximum: Number.MAX_SAFE_INTEGER,
    description: `gas units as an integer from ${lowBaseGas}, or nothing to have it estimated`,
  }),
})

export function sweep(management: ManagementContext) {
  return operation({
    scope: 'admin',
    refusals: ['RELAYER_NOT_FOUND', 'SWEEP_UNDER_WAY', 'CONFIGURED_BY_FILE', 'POLICY_VIOLATION', 'GAS_LIMIT_TOO_LOW'],
    audited: 'in its commit',
    operationId: 'sweepRelayer',
    summary: "Empty a relayer's account",
    description:
      "Pauses the relayer, and stores a transaction that sends the balance to `to`, less the fee for data on L1 and the gas, at twice the market's price. It gets its nonce and its value once everything before it has ended or is mined. While it is under way, the same request returns it again. To call it off, cancel its transaction.",
    params: relayerParameters,
    body: bodySchema,
    response: answers(sweepSchema),
    async answer(request) {
      const { params, body } = request
      const { to, gas_limit: gasLimit } = body
      const wanted = { to: parseAddress('to', to), ...(gasLimit !== undefined && { gasLimit }) }
      const started = await sweepRelayer(management, params.relayer_id, wanted, requesterOf(request))
      return success(presentSweep(started), explain(started))
    },
  })
}

function explain({ transaction: { id, lifecycle }, others, isNew }: Sweep & { isNew: boolean }): readonly string[] {
  const begun = isNew
    ? `The relayer is paused, and transaction ${id} empties its account.`
    : `Transaction ${id} empties the account already; the relayer is paused.`
  if (others === 0 || 'nonce' in lifecycle) return [begun]
  return [
    begun,
    `${others} other transactions are pending or in flight. It waits for those before it. While the relayer is paused, none that is queued is sent: cancel them one by one, or end the pause until they are sent. A bulk cancellation cancels the sweep, too.`,
  ]
}

export function getSweep(reads: Reads) {
  return operation({
    scope: 'read',
    refusals: ['RELAYER_NOT_FOUND', 'SWEEP_NOT_FOUND'],
    operationId: 'getSweep',
    summary: 'Get the last sweep of a relayer',
    description: 'The transaction that empties the account, or did, as long as its row stays.',
    params: relayerParameters,
    response: answers(sweepSchema),
    async answer({ params }) {
      const sweep = await readSweep(reads, await foundHistory(reads, params.relayer_id))
      return success(presentSweep(found(sweep, 'SWEEP_NOT_FOUND', 'nobody has swept this relayer')))
    },
  })
}

const example = {
  to: some.address,
  value: '1000000000000000000',
  others: 0,
  transaction: transactionExample,
}

const sweepSchema = closed('Sweep', { examples: [example] })({
  to: address('The address that gets the balance'),
  value: Type.Optional(
    wei('Wei, decimal. Absent until the transaction has a nonce, as the balance may change until then'),
  ),
  others: count(
    'How many other transactions of the relayer are pending or in flight, canceled ones that still race among them. The sweep waits for those that came before it',
  ),
  transaction: transactionSchema,
})

function presentSweep({ transaction, others }: Sweep): Static<typeof sweepSchema> {
  const { to, value } = executedPayload(transaction)
  return {
    to: to ?? transaction.payload.from,
    ...('nonce' in transaction.lifecycle && { value: value.toString() }),
    others,
    transaction: presentTransaction(transaction),
  }
}
