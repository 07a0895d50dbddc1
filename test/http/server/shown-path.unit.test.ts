// What the log shows of a request's target.
import { expect, test } from 'vitest'
import { shownPath } from '../../../src/http/request/path-of.ts'

test.each([
  ['/api/v1/relayers', '/api/v1/relayers'],
  ['/api/v1/relayers?api_key=secret', '/api/v1/relayers?…'],
  ['http://user:secret@host:8080/api/v1/relayers?x=1', '/api/v1/relayers?…'],
  ['HTTPS://secret@host', ''],
  ['/a/http://b', '/a/http://b'],
])('%s is shown as %s', (url, shown) => {
  expect(shownPath(url)).toBe(shown)
})
