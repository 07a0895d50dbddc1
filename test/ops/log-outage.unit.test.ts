// An outage is a line at its start and a line at its end, however often the task fails in between.
import { expect, test } from 'vitest'
import { loggingOutage } from '../../src/ops/log-outage.ts'
import type { Logger } from '../../src/ops/logger.ts'

function collecting(): { readonly lines: unknown[][]; readonly logger: Logger } {
  const lines: unknown[][] = []
  const at = (level: string) => (facts: object, message: string) => void lines.push([level, facts, message])
  const logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
  return { lines, logger: { ...logger, child: () => collecting().logger, isLevelEnabled: () => true } }
}

test('one line at the start, one at the end, and the rest at debug', () => {
  const { lines, logger } = collecting()
  const outage = loggingOutage(logger, { began: 'down', over: 'up', level: 'warn', facts: { network: 'n' } })
  outage.worked()
  expect([outage.failed('a'), outage.failed('b', { key: 'k' }), outage.failed('c')]).toEqual([1, 2, 3])
  outage.worked()
  outage.worked()
  expect(lines).toEqual([
    ['warn', { err: 'a', network: 'n' }, 'down'],
    ['debug', { err: 'b', network: 'n', key: 'k', failures: 2 }, 'down'],
    ['debug', { err: 'c', network: 'n', failures: 3 }, 'down'],
    ['info', { network: 'n', failures: 3 }, 'up'],
  ])
  expect(outage.failed('d')).toBe(1)
  expect(lines.at(-1)?.[0]).toBe('warn')
})
