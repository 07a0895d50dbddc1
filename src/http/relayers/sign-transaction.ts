// Refuses to sign a transaction without sending it (POST): the relayer would not notice that its nonce is used.
import { RescindError } from '../../domain/errors.ts'
import type { Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { relayerParameters } from '../request/parameters.ts'
import { foundRelayer } from '../response/found.ts'

export function signTransaction(reads: Reads) {
  return operation({
    scope: 'sign',
    refusals: ['RELAYER_NOT_FOUND', 'NOT_SUPPORTED'],
    schema: {
      operationId: 'signTransaction',
      summary: 'Sign a transaction without sending it: not supported',
      description:
        'Always refused with `NOT_SUPPORTED`. The holder of the signed bytes could spend a nonce of the relayer, or revive a canceled transaction. Send transactions to `…/transactions` instead.',
      tags: ['signing'],
      params: relayerParameters,
      response: {},
    },
    async answer({ params }) {
      await foundRelayer(reads, params.relayer_id)
      throw new RescindError(
        'NOT_SUPPORTED',
        'sign-transaction is not supported: the relayer would not notice that the signed bytes spend its nonce; send the transaction with POST …/transactions',
      )
    },
  })
}
