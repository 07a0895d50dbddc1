// The sums and shares of a series of figures, as the charts and the table show them.
import type { SeriesView } from '../../client/dashboard-types.ts'
import { now } from './clock.ts'
import { type Reply, type RequestOptions, request } from './request.ts'

export type Point = SeriesView['points'][number]

export type CountedFigure =
  | 'sent'
  | 'confirmed'
  | 'failed'
  | 'canceled'
  | 'expired'
  | 'gas_used'
  | 'calls'
  | 'failed_calls'

export function sumOf(points: readonly Point[], figure: CountedFigure): number {
  return points.reduce((sum, point) => sum + point[figure], 0)
}

/** By the index of the bound; the last has none. */
export function timesOf(points: readonly Point[]): readonly number[] {
  const [first] = points
  return (first?.confirmation_times ?? []).map((_, index) =>
    points.reduce((sum, point) => sum + (point.confirmation_times[index] ?? 0), 0),
  )
}

/** Undefined without a confirmation. */
export function averageSeconds(points: readonly Point[]): number | undefined {
  const confirmations = timesOf(points).reduce((sum, count) => sum + count, 0)
  if (confirmations === 0) return undefined
  return points.reduce((sum, point) => sum + point.confirmation_seconds, 0) / confirmations
}

export function feesOn(points: readonly Point[], isOf: (network: string) => boolean): bigint {
  return points
    .flatMap(({ fees }) => fees)
    .reduce((sum, { network, fees }) => (isOf(network) ? sum + BigInt(fees) : sum), 0n)
}

/** Sums of a week take the server longer than a row: changes of transactions are read after a while. */
const seldomMs = 30_000

export function readingSeldom(): (path: string, options: RequestOptions) => Promise<Reply<SeriesView>> {
  let last: { readonly path: string; readonly at: number; readonly reply: Reply<SeriesView> } | undefined
  return async (path, options) => {
    if (options.background && last?.path === path && now() - last.at < seldomMs) return last.reply
    const reply = await request<SeriesView>(path, options)
    last = { path, at: now(), reply }
    return reply
  }
}
