// Reports a relayer's account on the chain, and the state of its queue (GET).
import { Type } from 'typebox'
import { type ChainOf, networkPrice, readStatus } from '../../commands/relayers/read-status.ts'
import { isPaused } from '../../domain/pause.ts'
import { type ForeignPending, pooledMax } from '../../domain/pooled.ts'
import type { Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { relayerParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { closed, hash, time, wei } from '../response/forms.ts'
import { foundRelayer } from '../response/found.ts'
import { networkPriceSchema, presentPrice, presentTime } from '../response/present-values.ts'

const statusSchema = closed('RelayerStatus')({
  network_type: Type.Literal('evm'),
  balance: wei('Wei'),
  nonce: Type.String({
    pattern: '^[0-9]+$',
    description: "The account's next nonce at the head",
    examples: ['7'],
  }),
  pending_transactions_count: Type.Integer({ minimum: 0 }),
  last_confirmed_transaction_timestamp: Type.Optional(time()),
  foreign_pending: Type.Optional(
    closed('ForeignPending', {
      description: 'Transactions of the account in pools that this service did not sign; absent without any',
    })({
      count: Type.Integer({ minimum: 1 }),
      pending_nonce: Type.Integer({ minimum: 0, description: 'The next nonce, counting the pool' }),
      transactions: Type.Array(
        closed('ForeignTransaction')({
          nonce: Type.Integer({ minimum: 0 }),
          hash: Type.Optional(hash('Where a node shows it')),
        }),
        { maxItems: pooledMax, description: 'The lowest nonces' },
      ),
    }),
  ),
  network_price: Type.Optional(networkPriceSchema),
  paused: Type.Boolean({ description: 'It is paused, or its network is' }),
  system_disabled: Type.Boolean(),
})

export function getRelayerStatus(reads: Reads, chainOf: ChainOf) {
  return operation({
    scope: 'read',
    refusals: ['RELAYER_NOT_FOUND', 'NODE_UNAVAILABLE'],
    operationId: 'getRelayerStatus',
    summary: "Get a relayer's status",
    params: relayerParameters,
    response: answers(statusSchema),
    async answer({ params }) {
      const relayer = await foundRelayer(reads, params.relayer_id)
      const status = await readStatus(reads, chainOf, relayer)
      const price = networkPrice(chainOf, relayer)
      return success({
        network_type: 'evm',
        balance: status.balance.toString(),
        nonce: String(status.nonce),
        pending_transactions_count: status.pending,
        ...(status.lastConfirmedAt !== undefined && {
          last_confirmed_transaction_timestamp: presentTime(status.lastConfirmedAt),
        }),
        ...(status.foreignPending && { foreign_pending: presentForeign(status.foreignPending) }),
        ...(price && { network_price: presentPrice(price) }),
        paused: isPaused(relayer),
        system_disabled: false,
      })
    },
  })
}

function presentForeign({ count, pendingNonce, transactions }: ForeignPending) {
  return { count, pending_nonce: pendingNonce, transactions: [...transactions] }
}
