// When large bodies are parsed: one of a key in a turn of the event loop, however many of them come at once.
import { Readable } from 'node:stream'
import { fastify } from 'fastify'
import { expect, test } from 'vitest'
import { largeBodyBytesMin } from '../../../src/http/limits.ts'
import { parseJsonExactly } from '../../../src/http/request/parse-json.ts'
import { nextTurn } from '../../../src/ops/clock.ts'

const large = JSON.stringify({ data: 'a'.repeat(largeBodyBytesMin) })

/** The names of the bodies that each turn parses, where all of them have come before the first turn. */
async function turnsOf(bodies: readonly { readonly name: string; readonly from: string }[]): Promise<string[][]> {
  const app = fastify()
  const charges: (() => void)[] = []
  const allowance = { policy: '', remaining: 1, resetSeconds: 1 }
  parseJsonExactly(app, { checkKeyLimit: () => new Promise((resolve) => charges.push(() => resolve(allowance))) })
  const turns: string[][] = [[]]
  app.post('/:name', (request) => {
    const { name } = request.params as { name: string }
    return { name }
  })
  app.addHook('preValidation', async (request) => {
    turns.at(-1)?.push((request.params as { name: string }).name)
  })
  const answers = bodies.map(({ name, from }) =>
    app.inject({
      ...{ method: 'POST', url: `/${name}`, remoteAddress: from },
      headers: { 'content-type': 'application/json' },
      payload: Readable.from([Buffer.from(large)]),
    }),
  )
  while (charges.length < bodies.length) await nextTurn()
  for (const charge of charges) charge()
  let left = bodies.length
  for (const answer of answers) void answer.then(() => (left -= 1))
  while (left > 0) {
    await nextTurn()
    turns.push([])
  }
  expect((await Promise.all(answers)).map(({ statusCode }) => statusCode)).toEqual(bodies.map(() => 200))
  await app.close()
  return turns.filter((each) => each.length > 0)
}

test('large bodies of one key are parsed one after the other, and those of another key beside the first of them', async () => {
  const [one, other] = ['10.0.0.1', '10.0.0.2']
  const turns = await turnsOf(
    [
      { name: 'first', from: one },
      { name: 'second', from: one },
      { name: 'third', from: one },
      { name: 'of another', from: other },
    ].map(({ name, from }) => ({ name: name.replaceAll(' ', '-'), from })),
  )
  expect(turns).toEqual([['first', 'of-another'], ['second'], ['third']])
})
