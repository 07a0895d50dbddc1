// How far a bulk cancellation is, in one line.
import { expect, test } from 'vitest'
import { progressOf, warningsOf } from '../../src/cli/read-bulks.ts'
import type { BulkView } from '../../src/client/client.ts'

type Part = BulkView['parts'][number]

const counts: BulkView['counts'] = {
  ...{ dropped: 1, racing: 0, won: 0, lost: 0, external: 0, not_final: 0 },
  ...{ already: 0, refused: 0, cost: '0', cost_unknown: 0, safe_to_retry: 'all' },
}

function bulk(states: readonly Part['state'][], changes: Partial<BulkView['counts']> = {}): BulkView {
  const parts = states.map((state, index) => ({ relayer_id: `r${index}`, state, counts, refused: [], final: false }))
  return {
    ...{ id: 'b', origin: 'request', requested_at: '2026-01-02T03:04:05.678Z', filter: {}, every_relayer: false },
    ...{ relayers: [], pause: false, counts: { ...counts, ...changes }, final: false, parts },
  }
}

test('one relayer is written as one, and several as several', () => {
  expect(progressOf(bulk(['waiting']))).toContain('; 1 relayer not stopped yet;')
  expect(progressOf(bulk(['waiting', 'waiting']))).toContain('; 2 relayers not stopped yet;')
})

test('one match is written as one, and several as several', () => {
  expect(warningsOf(bulk([], { refused: 1 }))).toContain('1 match was not canceled: "rescind bulk show b"')
  expect(warningsOf(bulk([], { refused: 2 }))).toContain('2 matches were not canceled: "rescind bulk show b"')
  expect(warningsOf(bulk([], { already: 1 }))[0]).toMatch(
    /^1 match was canceled before, and is not counted here: its own /,
  )
  expect(warningsOf(bulk([], { already: 2 }))[0]).toMatch(
    /^2 matches were canceled before, .*: their own cancellation /,
  )
})
