// What waits to be written with others has no rows to return: to ask for them is an error of types.
import { expect, test } from 'vitest'
import { inLists } from '../../src/store/in-lists.ts'
import { changeOne, type Executor, first, statement } from '../../src/store/statement.ts'

interface Named {
  readonly name: string
}

const update = statement<Named, { id: string }>((db, p) =>
  db.updateTable('relayers').set({ paused: 1 }).where('name', '=', p.name).returning('id'),
)
const types = { name: 'text' } as const
const listed = inLists(update, types, (given) => `UPDATE relayers SET paused = 1 FROM ${given} RETURNING id`)
const silent = inLists(
  statement<Named>((db, p) => db.deleteFrom('relayers').where('name', '=', p.name)),
  types,
  (given) => `DELETE FROM relayers USING ${given}`,
)

test('a statement in lists that returns rows can be changed by, and not be asked for its rows', async () => {
  const requested: unknown[] = []
  const executor: Executor = {
    async all(query, parameters) {
      requested.push(query, parameters)
      return []
    },
  }
  const name = 'local'
  const rows: { id: string }[] = await executor.all(update, { name })
  expect(rows).toEqual([])
  await executor.all(silent, { name })
  // @ts-expect-error its rows are not there when it is answered
  await executor.all(listed, { name })
  // @ts-expect-error nor is the first of them
  await first(executor, listed, { name })
  requested.length = 0
  await expect(changeOne(executor, listed, { name }, () => new Error('met none'))).rejects.toThrow('met none')
  expect(requested).toEqual([listed, { name }])
})
