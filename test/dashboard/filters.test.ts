// The URL, the form and the request have the same filters.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fieldOf, filtersIn, parameterOf, placeIn, queryAt } from '../../src/dashboard/state/filters.ts'

test('any amount of wei comes back from its field', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (wei) => {
      expect(parameterOf('value_from', fieldOf('value_from', String(wei)))).toBe(String(wei))
    }),
  )
})

test.each([
  ['1500000000000000000', '1.5'],
  ['1000000000000000000', '1'],
  ['100000000000000000000', '100'],
  ['1', '0.000000000000000001'],
  ['0', '0'],
  ['much', 'much'],
])('%s wei is %s ether', (wei, ether) => {
  expect(fieldOf('value_to', wei)).toBe(ether)
  expect(parameterOf('value_to', ether)).toBe(wei)
})

test('a time comes back from its field, to the second', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_000_000_000 }), (second) => {
      const iso = new Date(second * 1_000).toISOString()
      expect(parameterOf('created_to', fieldOf('created_to', iso))).toBe(iso)
    }),
  )
  expect(fieldOf('created_to', 'yesterday')).toBe('')
})

test('a URL keeps what the list takes, and nothing else', () => {
  expect(filtersIn('?status=failed&text=%20ab%20&odd=1&to=&page=3').toString()).toBe('text=ab&status=failed')
})

test.each([
  ['', '?per_page=25&page=1', { page: 2 }, '?page=2'],
  ['?page=4', '?per_page=25&page=4', { page: 1 }, ''],
  ['?page=-1', '?per_page=25&page=1', { before: '9-1' }, '?before=9-1'],
  ['?status=failed&page=2', '?per_page=25&status=failed&page=2', { before: '9-1' }, '?status=failed&before=9-1'],
  ['?before=9-1&page=2', '?per_page=25&before=9-1', { page: 1 }, ''],
])('the place %s', (search, query, to, there) => {
  const place = placeIn(search, 25)
  expect(place.query).toBe(query)
  expect(queryAt(place, to)).toBe(there)
})
