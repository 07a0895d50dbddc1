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

test('the rule of a profile counts before those of the clients', () => {
  const given: ReplacementRule = { measure: 'effectivePrice', percent: 25n }
  expect(chooseAmong([endpoint(fields), endpoint(undefined)], given).rule()).toEqual(given)
})
