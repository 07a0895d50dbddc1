// Reads the hold of a transaction (GET), and presents it.
import { type Static, Type } from 'typebox'
import { shownDuration } from '../../domain/duration.ts'
import { RescindError } from '../../domain/errors.ts'
import { speeds } from '../../domain/fees.ts'
import { type FourEyes, type HoldRequest, holdRules } from '../../domain/hold.ts'
import { isPaused, pauseFacts } from '../../domain/pause.ts'
import { approvedPayload, payloadDigest } from '../../domain/payload-digest.ts'
import { isInPhase, type Transaction } from '../../domain/transaction.ts'
import { statusReasonOf } from '../../domain/wait.ts'
import type { FactsOf } from '../../domain/wait-facts.ts'
import { sentenceOfPausedHold } from '../../domain/wait-sentence.ts'
import type { Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { transactionParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { address, closed, hash, optionalInteger, optionalString, some, such, time, wei } from '../response/forms.ts'
import { found } from '../response/found.ts'
import { presentTime } from '../response/present-values.ts'
import { accessListSchema } from './access-list.ts'

// Presents the hold of a transaction: until when, by which rule, by whom and why, and the payload that a release approves.
const payloadSchema = closed('ApprovedPayload', { description: 'What a release approves, sorted by name' })({
  access_list: Type.Optional(accessListSchema),
  allow_out_of_gas: Type.Optional(Type.Literal(true)),
  data: such('0x'),
  from: address(),
  gas_limit: optionalInteger({ minimum: 0 }),
  gas_price: Type.Optional(wei()),
  max_fee_per_gas: Type.Optional(wei()),
  max_priority_fee_per_gas: Type.Optional(wei()),
  relayer_id: such('local'),
  speed: Type.Optional(Type.Enum([...speeds])),
  to: Type.Optional(address('Absent for a contract creation')),
  transaction_id: such(some.transactionId),
  valid_until: Type.Optional(time()),
  value: wei(),
})

const holdSchema = closed('Hold', {
  examples: [
    {
      transaction_id: some.transactionId,
      rule: 'four_eyes',
      since: some.time,
      by: some.apiKeyId,
      reason:
        'on hold until a second key releases its payload (four_eyes): release it with a key that did not set it, or cancel it for free',
      payload: {
        data: '0x',
        from: some.relayerAddress,
        gas_limit: 21_000,
        relayer_id: 'local',
        speed: 'fast',
        to: some.address,
        transaction_id: some.transactionId,
        value: '1000000000000000000',
      },
      payload_digest: '0x6648e4281fd927b94cf74af43508101ec9f6f0d13462e0bdff903b78a3e2e9d2',
      four_eyes: { set_by: [some.apiKeyId] },
    },
  ],
})({
  transaction_id: such(some.transactionId),
  rule: Type.Enum([...holdRules], {
    description: 'What decides its end: a member of the send, or a policy of the relayer',
  }),
  since: time('When it began. A replacement begins it anew'),
  until: Type.Optional(time('When it ends by itself; absent: only a release ends it')),
  by: Type.Optional(such(some.apiKeyId, 'The API key that set the payload')),
  requested: Type.Optional(
    closed('RequestedHold', { description: "The client's own part of it" })({
      hold: Type.Optional(Type.Literal(true)),
      hold_for: Type.Optional(such('10m')),
      not_before: Type.Optional(time()),
    }),
  ),
  reason: optionalString({ description: 'Why it waits, in words' }),
  payload: payloadSchema,
  payload_digest: hash('SHA-256 of payload as JSON, sorted by name and without white space (RFC 8785)'),
  four_eyes: Type.Optional(
    closed('FourEyes', { description: 'Absent: it is not under four eyes' })({
      set_by: Type.Array(such(some.apiKeyId), { description: 'The keys that set a payload: none may release it' }),
      released: Type.Optional(
        closed('Approval')({
          by: such(some.apiKeyId),
          at: time(),
          payload_digest: hash('The digest that the releaser sent'),
        }),
      ),
    }),
  ),
})

type HoldBody = Static<typeof holdSchema>

/**
 * Presents the hold; undefined without one. Under four eyes it stays as a record: who set the payload, and who released it. `pause`: of
 * the relayer, which stops releases.
 */
export function presentHold(transaction: Transaction, pause?: FactsOf['paused']): HoldBody | undefined {
  const { fourEyes } = transaction
  const lasting = fourEyes && { rule: 'four_eyes' as const, since: fourEyes.since }
  const hold = isInPhase(transaction, 'held') ? transaction.lifecycle.hold : lasting
  if (!hold) return undefined
  const reason = reasonOf(transaction, pause)
  const { rule, since, until, by, request } = { until: undefined, by: undefined, request: undefined, ...hold }
  return {
    transaction_id: transaction.id,
    rule,
    since: presentTime(since),
    ...(until !== undefined && { until: presentTime(until) }),
    ...(by !== undefined && { by }),
    ...(request && { requested: presentRequest(request) }),
    ...(reason !== undefined && { reason }),
    payload: presentPayload(transaction),
    payload_digest: payloadDigest(transaction),
    ...(fourEyes && { four_eyes: presentFourEyes(fourEyes) }),
  }
}

function reasonOf(transaction: Transaction, pause: FactsOf['paused'] | undefined): string | undefined {
  if (!isInPhase(transaction, 'held')) return undefined
  return pause ? sentenceOfPausedHold(transaction.lifecycle.hold, pause) : statusReasonOf(transaction)
}

function presentPayload(transaction: Transaction): HoldBody['payload'] {
  const { access_list: list, ...payload } = approvedPayload(transaction)
  const access = list?.map(({ address: of, storage_keys: keys }) => ({ address: of, storage_keys: [...keys] }))
  return { ...(access && { access_list: access }), ...payload }
}

function presentFourEyes({ setBy, released }: FourEyes): NonNullable<HoldBody['four_eyes']> {
  return {
    set_by: [...setBy],
    ...(released && {
      released: { by: released.by, at: presentTime(released.at), payload_digest: released.digest },
    }),
  }
}

function presentRequest(request: HoldRequest): NonNullable<HoldBody['requested']> {
  switch (request.kind) {
    case 'release':
      return { hold: true }
    case 'for':
      return { hold_for: shownDuration(request.ms) }
    case 'notBefore':
      return { not_before: presentTime(request.at) }
  }
}

export function getHold(reads: Reads) {
  return operation({
    scope: 'read',
    refusals: ['TRANSACTION_NOT_FOUND', 'HOLD_NOT_FOUND'],
    operationId: 'getHold',
    summary: 'Get the hold of a transaction',
    description:
      'With the payload and its digest, which a release under four eyes has to send. Of a transaction under four eyes it answers after the release as well, with the releaser; one that ended without a release is HOLD_NOT_FOUND.',
    params: transactionParameters,
    response: answers(holdSchema),
    async answer({ params }) {
      const read = await reads.transaction(params.relayer_id, params.transaction_id)
      const transaction = found(read, 'TRANSACTION_NOT_FOUND', 'Not found')
      // One that ended before its release is not on hold, and has no approval to show.
      const isShown = isInPhase(transaction, 'held') || transaction.fourEyes?.released !== undefined
      const relayer = isInPhase(transaction, 'held') ? await reads.relayer(params.relayer_id) : undefined
      const pause = relayer && isPaused(relayer) ? pauseFacts(relayer) : undefined
      const hold = isShown ? presentHold(transaction, pause) : undefined
      if (hold) return success(hold)
      throw new RescindError('HOLD_NOT_FOUND', 'this transaction is not on hold')
    },
  })
}
