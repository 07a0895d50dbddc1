// Lists a relayer's nonces, lowest first, each with the transaction that holds it (GET).
import { Type } from 'typebox'
import type { Reads } from '../../store/store.ts'
import { noncesBefore, noncesMax } from '../limits.ts'
import { operation } from '../request/operation.ts'
import { relayerParameters } from '../request/parameters.ts'
import { answers } from '../response/envelope.ts'
import { foundHistory } from '../response/found.ts'
import { sendList } from '../response/sliced-list.ts'
import { idsOf } from './labels.ts'
import { presentTrace, traceSchema } from './present-trace.ts'

const querySchema = Type.Object(
  {
    from: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'a nonce as a decimal integer, 0 or more; the list begins with it',
      }),
    ),
  },
  { additionalProperties: false },
)

export function listNonces(reads: Reads) {
  return operation({
    scope: 'read',
    refusals: ['RELAYER_NOT_FOUND'],
    schema: {
      operationId: 'listNonces',
      summary: "List a relayer's nonces with their transactions",
      description: `At most ${noncesMax}, lowest first. Without \`from\` the list begins a few nonces before the lowest open one.`,
      tags: ['transactions'],
      params: relayerParameters,
      querystring: querySchema,
      response: answers(Type.Array(traceSchema)),
    },
    async answer({ params, query }, reply) {
      const id = await foundHistory(reads, params.relayer_id)
      const from = query.from ?? (await firstShown(reads, id))
      const transactions = await reads.transactionsByNonce(id, from, noncesMax)
      const labels = await reads.labels(idsOf(transactions))
      return sendList(reply, transactions, (each) => presentTrace(each, labels.get(each.id)))
    },
  })
}

/** The lowest open nonce, or the one that comes next, with a few before it. */
async function firstShown(reads: Reads, id: Parameters<Reads['standing']>[0]): Promise<number> {
  const { bound } = await reads.standing(id)
  const open = bound[0]?.nonce ?? ((await reads.highestNonce(id)) ?? -1) + 1
  return Math.max(0, open - noncesBefore)
}
