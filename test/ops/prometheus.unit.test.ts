// The files shipped for operators agree: metrics, their documentation, rules, dashboard.
import { expect, test } from 'vitest'
import { conditions } from '../../src/domain/condition.ts'
import { processConditions } from '../../src/domain/process-condition.ts'
import { systemClock } from '../../src/ops/clock.ts'
import { watchProcess } from '../../src/ops/process-states.ts'
import { openPrometheus } from '../../src/ops/prometheus/open.ts'
import { someRelayer } from '../domain/some.ts'
import { documented } from '../support/documented.ts'
import { parseExposition, readingOf } from '../support/exposition.ts'
import { readsOf, samplesOf } from './promql.ts'
import { shippedPanels, shippedRules } from './rules.ts'

const ours = (names: Iterable<string>) => [...names].filter((name) => name.startsWith('rescind_')).sort()

test('every metric is documented, and every documented one exists', async () => {
  const { text } = await openPrometheus({
    version: '1',
    clock: systemClock,
    states: watchProcess(systemClock, processConditions),
  }).expose()
  const exported = ours(parseExposition(text).keys())
  expect(exported.length).toBeGreaterThan(30)
  expect([...(await documented('## Metrics'))].sort()).toEqual(exported)
})

test('a relayer is shown as failing until it is well again, and not at all once it is released', async () => {
  const metrics = openPrometheus({
    version: '1',
    clock: systemClock,
    states: watchProcess(systemClock, processConditions),
  })
  const relayer = someRelayer()
  const shown = async () => {
    const reported = parseExposition((await metrics.expose()).text)
    return readingOf(reported, 'rescind_relayer_condition', { relayer: relayer.id, condition: 'step_failing' })
  }
  const sight = { accountNonce: 3, inFlight: 0, conditions: [] }
  metrics.relayers.observed(relayer, sight)
  expect(await shown()).toBeUndefined()
  metrics.relayers.failed(relayer.id)
  expect(await shown()).toBe(1)
  metrics.relayers.observed(relayer, sight)
  expect(await shown()).toBe(0)
  metrics.relayers.released(relayer.id)
  expect(await shown()).toBeUndefined()
})

test('an account in use is a condition until another report', async () => {
  const metrics = openPrometheus({
    version: '1',
    clock: systemClock,
    states: watchProcess(systemClock, processConditions),
  })
  const relayer = someRelayer()
  const shown = async () => {
    const reported = parseExposition((await metrics.expose()).text)
    return readingOf(reported, 'rescind_relayer_condition', { relayer: relayer.id, condition: 'account_in_use' })
  }
  metrics.relayers.accountInUse(relayer, true)
  expect(await shown()).toBe(1)
  metrics.relayers.accountInUse(relayer, false)
  expect(await shown()).toBe(0)
})

test('every alert has a severity and a summary, and a name of its own', async () => {
  const alerts = (await shippedRules()).filter(({ alert }) => alert !== undefined)
  const names = alerts.map(({ alert }) => alert as string)
  expect(new Set(names).size).toBe(names.length)
  for (const { labels, annotations } of alerts) {
    expect(labels?.severity).toMatch(/^(critical|warning|info)$/)
    expect(annotations?.summary).toMatch(/\w/)
  }
})

test('every condition is watched by an alert, but for those that end by themselves or in a status', async () => {
  const watched = (await shippedRules()).flatMap(({ alert, expr }) =>
    alert === undefined
      ? []
      : [...expr.matchAll(/condition=~?"([^"]+)"/g)].flatMap((found) => (found[1] ?? '').split('|')),
  )
  expect(new Set([...watched, 'would_revert', 'policy', 'already_ordered', 'on_hold'])).toEqual(
    new Set([...conditions, 'foreign_use', ...processConditions]),
  )
})

test('panels have ids of their own, and expressions that parse', async () => {
  const panels = await shippedPanels()
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  expect(expressions.length).toBeGreaterThan(25)
  for (const expression of expressions) expect(readsOf(expression).selectors.length).toBeGreaterThan(0)
})

test('an expression that does not parse is noticed', () => {
  expect(() => readsOf('sum by (relayer (rate(x[5m]))')).toThrow(/does not parse/)
  expect(readsOf('sum by (a, b) (rate(x_total{c="1", d=~"2"}[5m])) / y')).toEqual({
    selectors: [
      { metric: 'x_total', labels: ['c', 'd'] },
      { metric: 'y', labels: [] },
    ],
    groupings: ['a', 'b'],
  })
})

test('an expression reads the samples that all of its matchers match', () => {
  const exposition = parseExposition('# HELP x b\n# TYPE x gauge\nx{a="1"} 1\nx{a="2",c="3"} 2\nx{a="21"} 3\n')
  const values = (expression: string) => samplesOf(expression, exposition).map(({ value }) => value)
  expect(values('sum by (a) (rate(x{a=~"1|2"}[5m])) > 0')).toEqual([1, 2])
  expect(values('x{c=""} unless x{a!="2", a!~"1"} offset 5m')).toEqual([1, 3])
  expect(values('y or x{a="4"}')).toEqual([])
})

test.each([
  ['a sample without a type', '# HELP a b\na 1\n'],
  ['a series twice', '# HELP a b\n# TYPE a gauge\na{x="1"} 1\na{x="1"} 2\n'],
  ['a label that is not quoted', '# HELP a b\n# TYPE a gauge\na{x=1} 1\n'],
  ['no line feed at the end', '# HELP a b\n# TYPE a gauge\na 1'],
  ['a counter without _total', '# HELP a b\n# TYPE a counter\na 1\n'],
  ['a histogram that does not add up', '# HELP a b\n# TYPE a histogram\na_bucket{le="+Inf"} 1\na_sum 1\na_count 2\n'],
])('an exposition with %s is noticed', (_, text) => {
  expect(() => parseExposition(text)).toThrow()
})
