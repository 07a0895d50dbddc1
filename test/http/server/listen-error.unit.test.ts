// An address that can't be listened on ends in one sentence that names the variable.
import { createServer, type Server } from 'node:net'
import { expect, test } from 'vitest'
import { listenError } from '../../../src/http/server/listen-error.ts'
import { OperatorError } from '../../../src/ops/operator-error.ts'

function listen(host: string, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject).listen(port, host, () => resolve(server))
  })
}

const variables = { hostVariable: 'HOST', portVariable: 'APP_PORT' }

test('a port that another server has, and a host that is none of ours', async () => {
  const server = await listen('127.0.0.1', 0)
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const taken = await listen('127.0.0.1', port).catch((error: unknown) => error)
  expect(listenError(taken, { host: '127.0.0.1', port, ...variables })).toEqual(
    new OperatorError(
      `APP_PORT: another process listens on 127.0.0.1:${port}; stop it, or set APP_PORT to a free port, or to 0 for any`,
    ),
  )
  server.close()
  // 192.0.2.0/24 is for documentation (RFC 5737).
  const strange = await listen('192.0.2.1', 0).catch((error: unknown) => error)
  expect(String(listenError(strange, { host: '192.0.2.1', port: 0, ...variables }))).toMatch(
    /HOST: "192\.0\.2\.1" is no address of this machine/,
  )
})

test('any other error stays what it is', () => {
  const error = new Error('something else')
  expect(listenError(error, { host: 'x', port: 1, ...variables })).toBe(error)
})
