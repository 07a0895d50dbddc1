// The runway: how long an account pays for its sends, at its present spending. It warns before the account is empty, and holds nothing up.
import { type DailySpend, dayMs, dayOf } from './daily-spend.ts'
import { shownDuration } from './duration.ts'
import { type Policies, policyTable } from './policy-table.ts'
import { exactlyInEther, inEther, isNoBalance } from './shown-amount.ts'
import type { TimestampMs, Wei } from './units.ts'

interface Runway {
  readonly ms: number
  /** The larger of the last day's spending and a seventh of the last week's. */
  readonly perDay: Wei
}

export const fundsWarnings = [
  /** The runway is below runway_warning. */
  'runway_short',
  /** The balance is below low_balance. */
  'balance_low',
] as const
export type FundsWarning = (typeof fundsWarnings)[number]

interface RaisedWarning {
  readonly warning: FundsWarning
  /** When it began. */
  readonly since: TimestampMs
}

/** An account's funds, as of the owner's last report. */
export interface Funds {
  /** Absent: nothing was spent for a week, the balance or the prices are not known yet, or the chain has no native token. */
  readonly runway?: Runway
  readonly warnings: readonly RaisedWarning[]
}

/** The section of the runbook about the warnings: its path at this service. */
export const topUpRunbook = '/docs/alerts.md#rescindtopupsoon'

/** Ten years: a longer one is no forecast. */
export const runwayMaxMs = 3_650 * dayMs
/** The days that count: today, and the last seven. */
const daysBefore = 7

/** The first day whose spending counts. */
export function firstDayOf(now: TimestampMs): number {
  return dayOf(now) - daysBefore
}

/**
 * The spending of a day. A sum by days has no hours: of the first day of each span the part counts that lies within it. At 06:00 the
 * last 24 hours are today and three quarters of yesterday.
 */
export function spentPerDay(days: readonly Pick<DailySpend, 'day' | 'spent'>[], now: TimestampMs): Wei {
  const today = dayOf(now)
  const rest = BigInt(dayMs - (now % dayMs))
  const on = (ago: number) => days.find(({ day }) => day === today - ago)?.spent ?? 0n
  const within = (span: number) => {
    const whole = Array.from({ length: span }, (_, ago) => on(ago)).reduce((sum, spent) => sum + spent, 0n)
    return whole + (on(span) * rest) / BigInt(dayMs)
  }
  const [day, week] = [within(1), within(daysBefore) / BigInt(daysBefore)]
  return day > week ? day : week
}

/** `free`: what further sends may use. Undefined without spending: it would be endless. */
export function runwayOf(free: Wei, perDay: Wei): Runway | undefined {
  if (perDay === 0n) return undefined
  const ms = free > 0n ? (free * BigInt(dayMs)) / perDay : 0n
  return { ms: Number(ms < BigInt(runwayMaxMs) ? ms : runwayMaxMs), perDay }
}

/** The readings of an account: absent where no node reported them yet. */
interface FundsReading {
  readonly balance?: Wei
  /** What further sends may use: the balance without min_balance, cancel_reserve and what is in flight. */
  readonly free?: Wei
}

/**
 * The funds after a reading. A warning begins below its limit and ends above one and a half times it, so that one that begins and ends
 * with each price warns once. Without a reading, it stays as it was.
 */
export function fundsAfter(
  { balance, free }: FundsReading,
  days: readonly Pick<DailySpend, 'day' | 'spent'>[],
  {
    policies,
    before,
    now,
  }: { readonly policies: Policies; readonly before: Funds | undefined; readonly now: TimestampMs },
): Funds {
  if (balance !== undefined && isNoBalance(balance)) return { warnings: [] }
  const raised = before?.warnings ?? []
  const perDay = spentPerDay(days, now)
  const runway = free === undefined ? undefined : runwayOf(free, perDay)
  const shortMs = runwayWarningOf(policies)
  const { lowBalance } = policies
  const holds: Readonly<Record<FundsWarning, (was: boolean) => boolean>> = {
    runway_short: (was) => {
      if (perDay === 0n) return false
      return runway === undefined ? was : isBelow(BigInt(runway.ms), BigInt(shortMs), was)
    },
    balance_low: (was) => {
      if (lowBalance === undefined) return false
      return balance === undefined ? was : isBelow(balance, lowBalance, was)
    },
  }
  const warnings = fundsWarnings.flatMap((warning) => {
    const was = raised.find((each) => each.warning === warning)
    return holds[warning](was !== undefined) ? [was ?? { warning, since: now }] : []
  })
  return { ...(runway && { runway }), warnings }
}

function isBelow(value: bigint, limit: bigint, was: boolean): boolean {
  return value < limit || (was && 2n * value <= 3n * limit)
}

function runwayWarningOf({ runwayWarning }: Policies): number {
  return runwayWarning ?? policyTable.runwayWarning.implied
}

/** The sentence of a warning. It may follow other words: it has neither a capital nor a period. */
export function warningSentence(
  warning: FundsWarning,
  { runway }: Funds,
  { balance, policies }: { readonly balance: Wei | undefined; readonly policies: Policies },
): string {
  if (warning === 'balance_low') {
    const low = policies.lowBalance === undefined ? '' : ` (${exactlyInEther(policies.lowBalance)})`
    return `the balance${balance === undefined ? '' : ` (${inEther(balance)})`} is low: below low_balance${low}, or not far above it`
  }
  const warned = shownDuration(runwayWarningOf(policies))
  if (!runway) return `the balance lasted for less than runway_warning (${warned}) when it was last read`
  const pays = `pays for ${inHours(runway.ms)} of sends at ${inEther(runway.perDay)} a day`
  return `the balance ${pays}: below runway_warning (${warned}), or not far above it`
}

function inHours(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`
}
