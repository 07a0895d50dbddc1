// The conditions of this process, and the lines that its log has lost.
import type { ProcessMetrics } from '../metrics.ts'
import type { ProcessStates } from '../process-states.ts'
import type { MetricsIn } from './metrics-in.ts'

export function countProcess(metrics: MetricsIn, states: Pick<ProcessStates, 'all' | 'held'>): ProcessMetrics {
  metrics.collected(
    'rescind_process_condition',
    '1 while the condition hinders this process, else 0; see /docs/alerts.md.',
    ['condition'],
    (gauge) => {
      const held = new Set(states.held().map(({ condition }) => condition))
      for (const condition of states.all) gauge.set({ condition }, held.has(condition) ? 1 : 0)
    },
  )
  const lost = metrics.counter('rescind_log_lines_lost_total', 'Lines of the log that could not be written.')
  return { lineLost: () => lost.inc() }
}
