// A proxy that repeats every request on 503, as a mesh does by default.
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { request } from 'undici'
import { test } from 'vitest'
import { sharedPostgres } from '../store/open-postgres.ts'
import { expectOnePayload, fates } from './support/one-payload.ts'

const server = sharedPostgres()
const triesMax = 3

async function repeatOn503(port: number) {
  async function pass({ method, url, headers }: IncomingMessage, body: Buffer) {
    for (let tries = 1; ; tries += 1) {
      const answer = await request(`http://127.0.0.1:${port}${url}`, { method: method as 'POST', headers, body })
      const text = await answer.body.text()
      if (answer.statusCode !== 503 || tries === triesMax) return { status: answer.statusCode, text }
    }
  }
  const proxy = createServer(async (incoming, outgoing) => {
    const chunks = await incoming.toArray()
    const { status, text } = await pass(incoming, Buffer.concat(chunks))
    outgoing.writeHead(status).end(text)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    port: (proxy.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      proxy.closeAllConnections()
      await new Promise((resolve) => proxy.close(resolve))
    },
  }
}

test.each(fates)('one request, whose COMMIT is lost, is one transaction: %s', async (fate) => {
  await expectOnePayload(server, fate, repeatOn503)
})
