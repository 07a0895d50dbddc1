// Many relayers on three replicas: evenly shared after each that comes or goes, and nothing moved that need not.
import { expect, test } from 'vitest'
import { until } from '../../tooling/client.ts'
import { openReplicas, poorRelayers, type Replicas } from '../../tooling/replicas.ts'

const count = 300

/** Until all have owners, and the shares differ by no more than relayers that meet in a slot explain. */
async function balanced(place: Replicas, replicas: number): Promise<void> {
  let last = ''
  await until(
    async () => {
      const shares = [...(await place.shares()).values()].map(({ length }) => length)
      last = String(shares)
      const all = shares.reduce((sum, each) => sum + each, 0) === count
      return all && shares.length === replicas && Math.max(...shares) - Math.min(...shares) <= 2
    },
    { limitMs: 60_000, what: () => `even shares of ${replicas}; they are ${last}` },
  )
}

/** Every acquisition raises an epoch. */
async function acquisitions({ query }: Replicas): Promise<number> {
  const [row] = await query<{ n: number }>('SELECT sum(epoch)::int8 AS n FROM relayers')
  return row?.n ?? 0
}

test('relayers are shared evenly, and each change moves what it has to', async () => {
  await using place = await openReplicas({ relayers: poorRelayers(count) })
  const a = await place.add('a')
  await balanced(place, 1)
  const b = await place.add('b')
  await balanced(place, 2)
  const c = await place.add('c')
  await balanced(place, 3)
  await until(async () => (await acquisitions(place)) >= count + count / 2 + count / 3 - 4, { what: 'all acquired' })
  // A few more where shares were counted while others moved; and on a busy machine a lease may be missed.
  const missed = [a, b, c].flatMap(
    ({ service }) => service.logs().match(/the session that holds the locks is lost/g) ?? [],
  )
  const needed = count + count / 2 + count / 3
  expect(await acquisitions(place)).toBeLessThan(needed * 1.1 + missed.length * count)
  await a.service.kill9()
  await balanced(place, 2)
  await Promise.all([b.service.stop(), a.service.restart()])
  await balanced(place, 2)
  await c.service.stop()
  await balanced(place, 1)
  expect((await place.shares()).get('a')).toHaveLength(count)
}, 240_000)
