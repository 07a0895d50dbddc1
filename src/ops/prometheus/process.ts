// The conditions of this process, and the lines that its log has lost.
import { Counter, Gauge, type Registry } from 'prom-client'
import type { ProcessMetrics } from '../metrics.ts'
import type { ProcessStates } from '../process-states.ts'

export function countProcess(registry: Registry, states: Pick<ProcessStates, 'all' | 'held'>): ProcessMetrics {
  const registers = [registry]
  new Gauge({
    name: 'rescind_process_condition',
    help: '1 while the condition hinders this process, else 0; see /docs/alerts.md.',
    labelNames: ['condition'],
    registers,
    collect() {
      const held = new Set(states.held().map(({ condition }) => condition))
      for (const condition of states.all) this.set({ condition }, held.has(condition) ? 1 : 0)
    },
  })
  const lost = new Counter({
    name: 'rescind_log_lines_lost_total',
    help: 'Lines of the log that could not be written.',
    registers,
  })
  return { lineLost: () => lost.inc() }
}
