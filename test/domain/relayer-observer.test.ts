// Every listener gets every report of the engine.
import { expect, test } from 'vitest'
import type { RelayerId } from '../../src/domain/ids.ts'
import type { Relayer } from '../../src/domain/relayer.ts'
import { type RelayerObserver, reportToAll } from '../../src/domain/relayer-observer.ts'
import { someRelayer } from './some.ts'

const relayer: Relayer = someRelayer()
const id: RelayerId = relayer.id
const reports: { readonly [Name in keyof RelayerObserver]: Parameters<RelayerObserver[Name]> } = {
  observed: [relayer, { accountNonce: 1, inFlight: 2, conditions: ['balance_short'] }],
  idle: [relayer],
  surveyed: [relayer, { findings: [], balance: 5n }],
  window: [id, 3],
  unreachable: [id],
  failed: [id],
  owned: [4],
  released: [id],
  accountInUse: [relayer, true],
  foreignUse: [relayer, { isHeld: true, nonces: 2 }],
}

function recording(into: unknown[], name: string): RelayerObserver {
  const record =
    (report: keyof RelayerObserver) =>
    (...given: readonly unknown[]) =>
      void into.push([name, report, ...given])
  return {
    observed: record('observed'),
    idle: record('idle'),
    surveyed: record('surveyed'),
    window: record('window'),
    unreachable: record('unreachable'),
    failed: record('failed'),
    owned: record('owned'),
    released: record('released'),
    accountInUse: record('accountInUse'),
    foreignUse: record('foreignUse'),
  }
}

test('each report reaches all listeners, in their order', () => {
  const heard: unknown[] = []
  const all = reportToAll(recording(heard, 'first'), recording(heard, 'second'))
  all.observed(...reports.observed)
  all.idle(...reports.idle)
  all.surveyed(...reports.surveyed)
  all.window(...reports.window)
  all.unreachable(...reports.unreachable)
  all.failed(...reports.failed)
  all.owned(...reports.owned)
  all.released(...reports.released)
  all.accountInUse(...reports.accountInUse)
  all.foreignUse(...reports.foreignUse)
  expect(heard).toEqual(
    Object.entries(reports).flatMap(([report, given]) => [
      ['first', report, ...given],
      ['second', report, ...given],
    ]),
  )
})
