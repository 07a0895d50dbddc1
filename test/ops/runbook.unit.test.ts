// The runbook has a section for each condition and each alert, for nothing else, and every link to it leads to one.
import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { heldConditions, networkConditions, runbookOf } from '../../src/domain/condition.ts'
import { pageOf, processConditions } from '../../src/domain/process-condition.ts'
import { readPages } from '../../src/http/server/markdown-pages.ts'
import { renderMarkdown } from '../../src/http/server/render-markdown.ts'
import { systemClock } from '../../src/ops/clock.ts'
import { watchProcess } from '../../src/ops/process-states.ts'
import { openPrometheus } from '../../src/ops/prometheus/open.ts'
import { parts, readPage, runbookPages, sectionsOf } from '../support/runbook.ts'
import { type Rule, shippedPanels, shippedRules } from './rules.ts'

const root = new URL('../../', import.meta.url)
const conditions = [...heldConditions, ...networkConditions]

/** Alerts about no condition: one that reports a condition leads to the section of that. */
async function alertNames(): Promise<readonly string[]> {
  const alerts = (await shippedRules()).filter(({ annotations }) =>
    annotations?.runbook_url?.includes('/alerts.md#rescind'),
  )
  return alerts.flatMap(({ alert }) => (alert === undefined ? [] : [alert]))
}

/** The pages that an alert may lead to: its own section, or that of each condition which it watches. */
function linksOf({ alert = '', expr, annotations }: Rule): readonly string[] {
  const url = new URL(annotations?.runbook_url ?? 'missing:')
  expect([alert, url.origin]).toEqual([alert, 'https://rescind.example'])
  const [, watched] = /condition=~?"([^"]+)"/.exec(expr) ?? []
  const hash = decodeURIComponent(url.hash)
  if (watched === undefined && url.pathname === '/docs/alerts.md') expect(hash).toBe(`#${alert.toLowerCase()}`)
  else if (watched?.includes('|')) expect([alert, hash]).toEqual([alert, '#{{ $labels.condition }}'])
  else if (watched !== undefined) expect([alert, hash]).toEqual([alert, `#${watched}`])
  const hashes = watched === undefined ? [hash] : watched.split('|').map((condition) => `#${condition}`)
  return hashes.map((each) => url.pathname + each)
}

/** The targets that a served page has, such as `/docs/runbook.md#paused`. */
async function servedTargets(): Promise<ReadonlySet<string>> {
  const targets = new Set<string>()
  for (const [name, text] of await readPages(root)) {
    targets.add(`/docs/${name}`)
    for (const [, id] of renderMarkdown(text).matchAll(/ id="([^"]*)"/g)) targets.add(`/docs/${name}#${id}`)
  }
  return targets
}

test('each condition has its section, each alert too, and there is no other', async () => {
  const named = async (page: string) => sectionsOf(await readPage(page)).map(({ name }) => name)
  expect((await named('runbook.md')).toSorted()).toEqual(conditions.toSorted())
  expect((await named('alerts.md')).toSorted()).toEqual([...processConditions, ...(await alertNames())].toSorted())
})

test.each(runbookPages)('each section of %s has the four parts', async (page) => {
  for (const { name, parts: found } of sectionsOf(await readPage(page))) {
    expect([name, found.map(([label]) => label)]).toEqual([name, parts])
    for (const [label, text] of found) expect(text, `${name}: ${label}`).toMatch(/\w{2,} [\s\S]*[.?]$/)
  }
})

test('each page fits into a night: at most 4,500 words', async () => {
  for (const page of runbookPages) expect((await readPage(page)).split(/\s+/).length).toBeLessThan(4_500)
})

test('links of conditions, alerts, panels and the source lead to a section of a served page', async () => {
  const targets = await servedTargets()
  const ofAlerts = (await shippedRules()).filter(({ alert }) => alert !== undefined).flatMap(linksOf)
  const links = [...conditions.map(runbookOf), ...processConditions.map(pageOf), ...ofAlerts, ...(await sourceLinks())]
  expect(links.filter((link) => !targets.has(link))).toEqual([])
})

/** Written out in the source. */
async function sourceLinks(): Promise<readonly string[]> {
  const names = (await readdir(new URL('src/', root), { recursive: true })).filter((name) => /\.tsx?$/.test(name))
  const texts = await Promise.all(names.map((name) => readFile(new URL(`src/${name}`, root), 'utf8')))
  const links = texts.flatMap((text) => [...text.matchAll(/\/docs\/(?:runbook|alerts)\.md#\w+/g)].map(([link]) => link))
  expect(links.length).toBeGreaterThan(0)
  return links
}

test('the panel of conditions leads to the section of each', async () => {
  const shown = (await shippedPanels()).filter(({ targets = [] }) =>
    targets.some(({ expr }) => expr.includes('rescind_relayer_condition')),
  )
  expect(shown.map(({ fieldConfig }) => fieldConfig?.defaults?.links?.map(({ url }) => url))).toEqual([
    [`https://rescind.example${runbookOf('paused').replace('paused', `\${__field.labels.condition}`)}`],
  ])
})

test('the help of the metric names the page', async () => {
  const { text } = await openPrometheus({
    version: '1',
    clock: systemClock,
    states: watchProcess(systemClock, processConditions),
  }).expose()
  expect(text).toMatch(/^# HELP rescind_relayer_condition .*\/docs\/runbook\.md/m)
})

test('from the README a reader is at each section in two clicks', async () => {
  expect(await readFile(new URL('README.md', root), 'utf8')).toContain(
    '[A relayer is stuck?](docs/runbook.md#a-relayer-is-stuck)',
  )
  const [, first = ''] = /^## A relayer is stuck\n([\s\S]*?)^## /m.exec(await readPage('runbook.md')) ?? []
  for (const condition of conditions) expect(first).toContain(`(#${condition})`)
  const [, before = ''] = /^# .+\n([\s\S]*?)^## /m.exec(await readPage('alerts.md')) ?? []
  for (const condition of processConditions) expect(before).toContain(`(#${condition})`)
  for (const alert of await alertNames()) expect(before).toContain(`(#${alert.toLowerCase()})`)
})

test('a section of something else, and a missing part, are noticed', () => {
  const page =
    '### `one`\n\n- **What it means**: a b.\n- **What to do**: c\n  d.\n\n## Next\n\n### `two`\n\n- **Odd**: e f.\n'
  expect(sectionsOf(page)).toEqual([
    {
      name: 'one',
      parts: [
        ['What it means', 'a b.'],
        ['What to do', 'c\n  d.'],
      ],
    },
    { name: 'two', parts: [['Odd', 'e f.']] },
  ])
})
