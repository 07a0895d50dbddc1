// The conditions of this process, and the lines that its log has lost.
import { Counter, Gauge, type Registry } from 'prom-client'
import type { ProcessCondition } from '../../domain/process-condition.ts'
import type { ProcessMetrics } from '../metrics.ts'
import type { ProcessStates } from '../process-states.ts'

export function countProcess(registry: Registry, states: Pick<ProcessStates, 'held'>): ProcessMetrics {
  const registers = [registry]
  const shown = new Set<ProcessCondition>()
  new Gauge({
    name: 'rescind_process_condition',
    help: '1 while the condition hinders this process, 0 afterwards; see /docs/alerts.md.',
    labelNames: ['condition'],
    registers,
    collect() {
      const held = states.held().map(({ condition }) => condition)
      for (const condition of shown) this.set({ condition }, 0)
      for (const condition of held) {
        shown.add(condition)
        this.set({ condition }, 1)
      }
    },
  })
  const lost = new Counter({
    name: 'rescind_log_lines_lost_total',
    help: 'Lines of the log that could not be written.',
    registers,
  })
  return { lineLost: () => lost.inc() }
}
