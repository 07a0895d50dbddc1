// Which URL of a list of explorers people can be sent to.
import { expect, test } from 'vitest'
import { explorerPage, isPage } from '../../src/domain/explorer-page.ts'

test.each([
  'https://api.scan.example/api',
  'https://api.scan.example/v2/api?chainid=1',
  'https://api.scan.example',
  'https://api-testnet.scan.example/',
  'https://block-explorer-api.net.example',
  'https://scan.example/api',
  'https://scan.example/net/API/',
  'https://scan.example/api-docs',
  'https://scan.example/?network=test',
  'https://scan.example/#/net',
  'ftp://scan.example',
  'scan.example',
  '',
])('"%s" is no page', (url) => {
  expect(isPage(url)).toBe(false)
})

test.each([
  'https://scan.example',
  'https://scan.example/',
  'http://127.0.0.1:4000',
  'https://explorer.example/net',
  'https://apiary.example',
  'https://rapid.example/apis',
])('"%s" is one', (url) => {
  expect(isPage(url)).toBe(true)
})

test('the first page counts, and that of the list where there is none; no URL at all means no link', () => {
  const [api, page, other] = ['https://api.scan.example/api', 'https://scan.example', 'https://other.example']
  expect(explorerPage([api, page, other], undefined)).toBe(page)
  expect(explorerPage([other, page], page)).toBe(other)
  expect(explorerPage([api], page)).toBe(page)
  expect(explorerPage([api], undefined)).toBeUndefined()
  expect(explorerPage([], page)).toBeUndefined()
})
