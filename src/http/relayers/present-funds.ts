// How long a relayer's account lasts, and its warnings, in an overview.
import { type Static, Type } from 'typebox'
import type { OwnerReport } from '../../domain/owner-report.ts'
import type { Relayer } from '../../domain/relayer.ts'
import { fundsWarnings, runwayMaxMs, topUpRunbook, warningSentence } from '../../domain/runway.ts'
import { closed, such, time, wei } from '../response/forms.ts'
import { presentTime } from '../response/present-values.ts'

const runwaySchema = closed('Runway', {
  description:
    'How long the balance pays for sends at their present spending, without min_balance, cancel_reserve and what is in flight. Absent without spending in the last week, and before the balance and the prices are known',
})({
  seconds: Type.Integer({ minimum: 0, maximum: runwayMaxMs / 1_000 }),
  per_day: wei('Wei: the larger of the spending of the last day and the mean of the last week'),
})

const warningSchema = closed('FundsWarning', { description: 'It holds nothing up' })({
  warning: Type.Enum([...fundsWarnings]),
  since: time('When it began'),
  text: such('the balance pays for 5 h of sends at 0.4 ether a day: below runway_warning (24h), or not far above it'),
  runbook: Type.String({
    description: 'The page about it: a path at this service, unless DOCS_ENABLED is false',
    examples: [topUpRunbook],
  }),
})

export const fundsProperties = {
  runway: Type.Optional(runwaySchema),
  warnings: Type.Array(warningSchema, { description: 'They count neither in `state` nor in `conditions`' }),
}

const fundsSchema = Type.Object(fundsProperties)

export function presentFunds({ policies }: Relayer, report: OwnerReport | undefined): Static<typeof fundsSchema> {
  const { funds = { warnings: [] }, balance } = report ?? {}
  const { runway, warnings } = funds
  return {
    ...(runway && { runway: { seconds: Math.floor(runway.ms / 1_000), per_day: runway.perDay.toString() } }),
    warnings: warnings.map(({ warning, since }) => ({
      warning,
      since: presentTime(since),
      text: warningSentence(warning, funds, { balance: balance?.wei, policies }),
      runbook: topUpRunbook,
    })),
  }
}
