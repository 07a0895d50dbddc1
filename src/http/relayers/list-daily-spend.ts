// Lists what final transactions spent, by day and relayer (GET).
import { Type } from 'typebox'
import { type DailySpend, dayMs, dayOf } from '../../domain/daily-spend.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Reads } from '../../store/store.ts'
import { dailySpendDaysMax } from '../limits.ts'
import { operation } from '../request/operation.ts'
import { answers, success } from '../response/envelope.ts'
import { closed, count, optionalInteger, such, wei } from '../response/forms.ts'

const dailySpendSchema = closed('DailySpend')({
  day: Type.String({
    format: 'date',
    description: 'In UTC: the day on which the transactions became final',
    examples: ['2026-01-02'],
  }),
  relayer_id: such('local'),
  transactions: count('With the no-ops'),
  no_ops: count('Of cancellations and gaps'),
  unpriced: count('Those whose fees no node reported: the fees do not contain them'),
  fees: wei('Wei'),
  spent: wei('Wei: fees and values, without those of sweeps'),
})

const querySchema = Type.Object(
  {
    days: optionalInteger({
      minimum: 1,
      maximum: dailySpendDaysMax,
      default: 30,
      description: `an integer from 1 to ${dailySpendDaysMax}`,
    }),
  },
  { additionalProperties: false },
)

export function listDailySpend(reads: Reads, clock: Clock) {
  return operation({
    scope: 'read',
    operationId: 'listDailySpend',
    summary: 'List what relayers spent, by day',
    description: 'The last `days` days with today. A day without a final transaction is absent.',
    querystring: querySchema,
    response: answers(Type.Array(dailySpendSchema)),
    async answer({ query, principal }) {
      const since = dayOf(clock.now()) - (query.days ?? 30) + 1
      const totals = await reads.dailySpend(since)
      const isVisible = ({ relayerId }: DailySpend) => principal?.relayers?.includes(relayerId) ?? true
      return success(totals.filter(isVisible).map(present))
    },
  })
}

function present({ relayerId, day, transactions, noOps, unpriced, fees, spent }: DailySpend) {
  return {
    day: new Date(day * dayMs).toISOString().slice(0, 10),
    relayer_id: relayerId,
    transactions,
    no_ops: noOps,
    unpriced,
    fees: fees.toString(),
    spent: spent.toString(),
  }
}
