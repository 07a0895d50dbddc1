import Fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { assetOf, sendAsset } from '../../../src/http/response/asset.ts'

/** Requests a file of this size five times at once. Returns the turn of the event loop in which each was sent. */
async function turnsOf(bytes: number): Promise<number[]> {
  const asset = await assetOf('text/plain', Buffer.alloc(bytes))
  const app = Fastify()
  let turn = 0
  const turns: number[] = []
  let isOver = false
  const count = () => {
    turn += 1
    if (!isOver) setImmediate(count)
  }
  app.addHook('onSend', async () => void turns.push(turn))
  app.get('/', (request, reply) => sendAsset(request, reply, asset))
  await app.ready()
  setImmediate(count)
  const answers = await Promise.all(Array.from({ length: 5 }, () => app.inject('/')))
  isOver = true
  expect(answers.map(({ rawPayload }) => rawPayload.length)).toEqual(answers.map(() => bytes))
  return turns
}

describe('a file for browsers', () => {
  it('leaves a turn to other requests between two large ones', async () => {
    expect(new Set(await turnsOf(1_000_000)).size).toBe(5)
  })

  it('waits for nothing when it is small', async () => {
    expect(new Set(await turnsOf(1_000)).size).toBe(1)
  })

  it.each([undefined, 'gzip'])('is one copy for all its readers: accept-encoding %s', async (encoding) => {
    const asset = await assetOf('text/plain', Buffer.alloc(1_000_000))
    const app = Fastify()
    const sent: unknown[] = []
    app.addHook('onSend', async (_request, _reply, payload) => void sent.push(payload))
    app.get('/', (request, reply) => sendAsset(request, reply, asset))
    const headers = encoding === undefined ? {} : { 'accept-encoding': encoding }
    await Promise.all(Array.from({ length: 3 }, () => app.inject({ url: '/', headers })))
    const own = encoding === undefined ? asset.plain : asset.gzipped
    expect(sent.map((each) => each === own)).toEqual([true, true, true])
  })
})
