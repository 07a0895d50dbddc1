// A restored copy on a chain whose block time is configured wrong, by a factor of fifty either way: what the lost part of
// the history has sent executes once, however many blocks ago that was.
import { describe, expect, test } from 'vitest'
import { minedFrom, nonceOf, same } from '../../tooling/ledger.ts'
import { audit } from './support/audit.ts'
import { copyDatabase, putBack } from './support/copy.ts'
import { inPool, mineUntil, payTimes, view } from './support/play.ts'
import { anvilStage } from './support/stage.ts'

/** What anvil puts between the timestamps of blocks that it mines on request. */
const realBlocktimeMs = 1_000
/** At fifty times the real block time, an hour, the margin for clocks, holds far fewer. */
const blocksSince = 500

describe.each([
  ['fifty times the real one', realBlocktimeMs * 50],
  ['a fiftieth of the real one', realBlocktimeMs / 50],
])('configured is %s', (_, averageBlocktimeMs) => {
  test('a transaction mined hundreds of blocks ago, and missing in the copy, is found and not sent again', async () => {
    const relayers = { one: { max_in_flight: 1 } }
    await using stage = await anvilStage({ requiredConfirmations: 3, averageBlocktimeMs, relayers })
    const sender = stage.sender('one')
    const payments = await payTimes(stage, sender, 2)
    await inPool(stage, sender, [0])
    await copyDatabase(stage)
    await mineUntil(stage, 'all mined', async () => (await nonceOf(stage.node, sender.address)) >= payments.length)
    await stage.node.mine(blocksSince)

    await putBack(stage)
    await audit(stage, sender)
    const mined = await minedFrom(stage.node, sender.address)
    expect(payments.map(({ to }) => mined.filter((each) => same(each.to, to)).length)).toEqual([1, 1])
    for (const [nonce, payment] of payments.entries()) {
      expect(await view(stage, payment)).toMatchObject({ status: 'confirmed', nonce })
    }
  })
})
