// The rule by which a replacement is priced: enough for every endpoint, also for one that has not said yet what it is.
import { expect, test } from 'vitest'
import type { Endpoint } from '../../../src/chain/nodes/endpoint.ts'
import { chooseAmong } from '../../../src/chain/nodes/endpoints.ts'
import { type ReplacementRule, strictestRule } from '../../../src/domain/fees.ts'

const fields: ReplacementRule = { measure: 'fields', percent: 10n }
const endpoint = (rule: ReplacementRule | undefined) => ({ weight: 1, rule: () => rule }) as unknown as Endpoint

test('an endpoint that has not said what it is counts as the strictest', () => {
  expect(chooseAmong([endpoint(fields), endpoint(undefined)]).rule()).toEqual(strictestRule)
  expect(chooseAmong([endpoint(fields), endpoint(fields)]).rule()).toEqual(fields)
  expect(chooseAmong([]).rule()).toEqual(strictestRule)
})

test('of two percentages the higher counts', () => {
  const dearer: ReplacementRule = { measure: 'fields', percent: 12n }
  expect(chooseAmong([endpoint(fields), endpoint(dearer)]).rule()).toEqual(dearer)
  expect(chooseAmong([endpoint(dearer), endpoint(strictestRule)]).rule()).toEqual({ ...strictestRule, percent: 12n })
})

test('the rule of a profile counts before those of the clients', () => {
  const given: ReplacementRule = { measure: 'effectivePrice', percent: 25n }
  expect(chooseAmong([endpoint(fields), endpoint(undefined)], given).rule()).toEqual(given)
})
