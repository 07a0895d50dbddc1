// What reverted transactions returned, as stored.
import { expect, test } from 'vitest'
import { cancel } from '../../src/domain/cancel.ts'
import type { Hash, Hex } from '../../src/domain/ids.ts'
import type { RevertData } from '../../src/domain/revert-data.ts'
import { type OpenStore, send, storedRelayer } from './contract.ts'

const now = 1_000
const hash = `0x${'ab'.repeat(32)}` as Hash
const revert: RevertData = {
  ...{ hash, block: { number: 7, hash }, data: '0x08c379a0' as Hex, isCut: true, source: 'trace' },
  ...{ endpoint: 1, host: 'rpc.example' },
  decoded: { error: 'Odd', signature: 'Odd(string)', arguments: [{ type: 'string', value: 'a\0\ud800b' }] },
}

export function revertContract(open: OpenStore): void {
  test('the last one of a transaction stays, until the transaction goes', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)

    const sent = await send(store, relayer.id)
    const { id } = sent
    expect(await store.reads.revert(id)).toBeUndefined()
    await store.commit((session) => session.recordRevert(id, { ...revert, source: 'call_after_block' }))
    await store.commit((session) => session.recordRevert(id, revert))
    expect(await store.reads.revert(id)).toEqual(revert)
    await store.commit((session) => session.saveTransaction(sent, cancel(sent, now), now), relayer.id)
    expect(await store.commit((session) => session.removeEnded(relayer.id, [id]), relayer.id)).toEqual([id])
    expect(await under.query('SELECT * FROM reverts')).toEqual([])
  })
}
