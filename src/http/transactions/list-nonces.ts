// Lists the nonces of a relayer with their transactions, and the foreign uses of its key (GET).
import { type Static, Type } from 'typebox'
import type { ForeignUse } from '../../domain/foreign-use.ts'
import type { Reads } from '../../store/store.ts'
import { noncesBefore, noncesMax } from '../limits.ts'
import { operation } from '../request/operation.ts'
import { relayerParameters } from '../request/parameters.ts'
import { answers, metadataWith } from '../response/envelope.ts'
import { closed, hash, optionalInteger, time } from '../response/forms.ts'
import { foundHistory } from '../response/found.ts'
import { acknowledgmentSchema, presentAcknowledgment, presentTime } from '../response/present-values.ts'
import { sendList } from '../response/sliced-list.ts'
import { idsOf } from './labels.ts'
import { presentTrace, traceSchema } from './read-traces.ts'

const noncesQuerySchema = Type.Object(
  {
    from: optionalInteger({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'a nonce as a decimal integer, 0 or more; the list begins with it',
    }),
  },
  { additionalProperties: false },
)

const foreignUseSchema = closed('ForeignUse', {
  description: 'Nonces of the account that no attempt of the relayer spent',
})({
  first_nonce: Type.Integer({ minimum: 0 }),
  last_nonce: Type.Integer({ minimum: 0 }),
  hash: Type.Optional(hash('Of the transaction that spent the first nonce; absent where no node shows it')),
  block_number: optionalInteger({ description: 'Its block' }),
  found_at: time(),
  may_be_lost: Type.Boolean({
    description:
      'Found by the first look after a start, a restore or a change of owner: a database that was restored may have lost transactions of ours',
  }),
  acknowledged: Type.Optional(acknowledgmentSchema),
})

const noncesMetadata = metadataWith(
  {
    foreign_uses: Type.Optional(
      Type.Array(foreignUseSchema, { description: 'The newest from `from` on, oldest first; absent without any' }),
    ),
  },
  'NoncesMetadata',
)

function presentForeignUse({ first, last, spender, foundAt, mayBeLost, acknowledged }: ForeignUse) {
  return {
    ...{ first_nonce: first, last_nonce: last },
    ...(spender && { hash: spender.hash, block_number: spender.block }),
    ...{ found_at: presentTime(foundAt), may_be_lost: mayBeLost },
    ...(acknowledged && { acknowledged: presentAcknowledgment(acknowledged) }),
  } satisfies Static<typeof foreignUseSchema>
}

export function listNonces(reads: Reads) {
  return operation({
    scope: 'read',
    refusals: ['RELAYER_NOT_FOUND'],
    operationId: 'listNonces',
    summary: "List a relayer's nonces with their transactions",
    description: `At most ${noncesMax}, lowest first. Without \`from\` the list begins a few nonces before the lowest open one. \`metadata.foreign_uses\` has the nonces that foreign transactions spent.`,
    params: relayerParameters,
    querystring: noncesQuerySchema,
    response: answers(Type.Array(traceSchema), noncesMetadata),
    async answer({ params, query }, reply) {
      const id = await foundHistory(reads, params.relayer_id)
      const from = query.from ?? (await firstShown(reads, id))
      const transactions = await reads.transactionsByNonce(id, from, noncesMax)
      const labels = await reads.labels(idsOf(transactions))
      const uses = await reads.foreignUses(id, query.from ?? 0)
      const metadata = uses.length > 0 ? { foreign_uses: uses.map(presentForeignUse) } : {}
      return sendList(reply, transactions, (each) => presentTrace(each, labels.get(each.id)), undefined, [], metadata)
    },
  })
}

/** The lowest open nonce, or the one that comes next, with a few before it. */
async function firstShown(reads: Reads, id: Parameters<Reads['standing']>[0]): Promise<number> {
  const { bound } = await reads.standing(id)
  const open = bound[0]?.nonce ?? ((await reads.highestNonce(id)) ?? -1) + 1
  return Math.max(0, open - noncesBefore)
}
