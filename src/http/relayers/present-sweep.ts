// Presents a sweep: its receiver, its value once it is settled, and its transaction.
import { type Static, Type } from 'typebox'
import type { Sweep } from '../../commands/relayers/sweep.ts'
import { executedPayload } from '../../domain/transaction.ts'
import { address, count, some, wei } from '../response/forms.ts'
import { presentTransaction, transactionExample, transactionSchema } from '../transactions/present-transaction.ts'

const example = {
  to: some.address,
  value: '1000000000000000000',
  others: 0,
  transaction: transactionExample,
}

export const sweepSchema = Type.Object(
  {
    to: address('The address that gets the balance'),
    value: Type.Optional(
      wei('Wei, decimal. Absent until the transaction has a nonce, as the balance may change until then'),
    ),
    others: count(
      'How many other transactions of the relayer are pending or in flight, canceled ones that still race among them. The sweep waits for those that came before it',
    ),
    transaction: transactionSchema,
  },
  { title: 'Sweep', additionalProperties: false, examples: [example] },
)

export function presentSweep({ transaction, others }: Sweep): Static<typeof sweepSchema> {
  const { to, value } = executedPayload(transaction)
  return {
    to: to ?? transaction.payload.from,
    ...('nonce' in transaction.lifecycle && { value: value.toString() }),
    others,
    transaction: presentTransaction(transaction),
  }
}
