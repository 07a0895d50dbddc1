// No-ops that are signed before anybody cancels: stored in order, used only for a canceled transaction while the signer is
// down, and gone once their nonce is final.
import { describe, expect, test } from 'vitest'
import type { Hash, TransactionId } from '../../src/domain/ids.ts'
import type { Policies } from '../../src/domain/policy-table.ts'
import { statusReasonOf } from '../../src/domain/wait.ts'
import { trackBroadcasts } from '../../src/engine/broadcasts-under-way.ts'
import { trackPresigning } from '../../src/engine/presign.ts'
import { trackSignatures } from '../../src/engine/signatures-under-way.ts'
import type { StepContext } from '../../src/engine/step-context.ts'
import { bell } from '../../src/ops/bell.ts'
import { systemRandom } from '../../src/ops/random.ts'
import { secret } from '../../src/ops/secret.ts'
import { openVault, type Vault } from '../../src/ops/vault.ts'
import { requireStorageKey } from '../../src/registry/check-stored.ts'
import { reseal } from '../../src/registry/reseal.ts'
import { by, gwei, headAt, height, someMarket, someObservation, somePolicy, someRelayer } from '../domain/some.ts'
import { quiescence } from '../support/settled.ts'
import { heldSigner } from './held-signer.ts'
import { nothingUnknown, openWorkplace, step } from './workplace.ts'

async function openPresigning(policies: Partial<Policies> = { presignCancel: 2 }) {
  const place = await openWorkplace(policies)
  const signer = heldSigner(place.context.signerOf(place.relayer))
  let context: StepContext = { ...place.context, signerOf: () => signer }
  const ownership = await place.own()
  const { clock, under } = place
  const newUnderWay = () => ({
    wake: () => {},
    urgent: bell(),
    broadcasts: trackBroadcasts(
      () => {},
      () => {},
    ),
    signatures: trackSignatures(clock, () => {}),
    presigning: trackPresigning(clock, () => {}),
  })
  let underWay = newUnderWay()

  /** Resolves once the signatures are stored. */
  async function settled(): Promise<void> {
    await quiescence()
    await underWay.presigning.ended()
    await quiescence()
  }

  async function advance(steps = 1): Promise<void> {
    for (let count = 0; count < steps; count += 1) {
      // A step that begins while signatures are being stored requests none.
      await settled()
      underWay.presigning.throwLateError()
      await step(context, ownership, nothingUnknown, underWay)
      await settled()
    }
  }
  return {
    place,
    signer,
    ownership,
    advance,
    useVault(vault: Vault) {
      context = { ...context, vault }
    },
    /** The next step reads the rows just before these signatures are stored. */
    async stepBeside(sign: () => void): Promise<void> {
      const { store } = context
      const work: typeof store.reads.work = async (...given) => {
        const found = await store.reads.work(...given)
        sign()
        await settled()
        return found
      }
      await step(
        { ...context, store: { ...store, reads: { ...store.reads, work } } },
        ownership,
        nothingUnknown,
        underWay,
      )
      await settled()
    },
    /** The process died: only the rows are left. */
    restart() {
      underWay = newUnderWay()
    },
    /** Sends a transaction, which a node accepts, with its no-ops. */
    async sendCovered(): Promise<TransactionId> {
      signer.mood = 'signs'
      const id = await place.send()
      await advance(4)
      return id
    },
    /** Sends a transaction, which a node accepts. The test signs its first no-op. */
    async sendWithHeldNoOp(): Promise<void> {
      signer.mood = 'signs'
      await place.send()
      await advance(1)
      signer.mood = 'holds'
      await advance(1)
    },
    rows: () =>
      under.query<{ nonce: number; hash: string; sealed: string | null; max_fee_per_gas: string }>(
        'SELECT nonce, hash, sealed, max_fee_per_gas FROM presigned_no_ops ORDER BY nonce, max_fee_per_gas',
      ),
    noOps: () =>
      under.query<{ hash: string; presigned: number }>(
        "SELECT hash, presigned FROM attempts WHERE kind = 'cancel' ORDER BY position",
      ),
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  }
}

describe('in advance', () => {
  test('each nonce gets its no-ops, sealed, in the background and after all other signatures', async () => {
    await using covered = await openPresigning()
    const { place, signer } = covered
    signer.mood = 'signs'
    await place.send()
    await covered.advance(2)
    signer.mood = 'holds'
    // The step that recorded the payload requested the no-ops; another one before would have had nothing to cover.
    const rows = await covered.rows()
    expect(rows.map(({ nonce }) => Number(nonce))).toEqual([0, 0])
    expect(rows.every(({ sealed }) => sealed?.startsWith('v1.'))).toBe(true)
    await covered.advance(3)
    expect(signer.held).toEqual([])
    expect(place.chain.broadcasts).toHaveLength(1)
    expect(await covered.noOps()).toEqual([])
  })

  test('a signature that hangs holds up nothing, and a hash without bytes is of no use', async () => {
    await using covered = await openPresigning({ presignCancel: 1 })
    const { place, signer } = covered
    await covered.sendWithHeldNoOp()
    expect(signer.held.map(({ nonce, priority }) => [nonce, priority])).toEqual([[0, 'presign']])
    await place.send()
    await covered.advance(1)
    expect(signer.held.map(({ nonce, priority }) => [nonce, priority])).toEqual([
      [0, 'presign'],
      [1, 'payload'],
    ])
    // The process dies between the hash and the bytes.
    const dying = place.context.store.commit((session) =>
      session.recordPresigned(place.relayer.id, {
        ...{ hash: `0x${'1'.repeat(64)}`, nonce: 0, gasLimit: 21_000, signedAt: 1 },
        fees: { kind: 'eip1559', maxFeePerGas: 900n * gwei, maxPriorityFeePerGas: 90n * gwei },
      }),
    )
    await dying
    covered.restart()
    signer.mood = 'signs'
    await covered.advance(5)
    const usable = (await covered.rows()).filter(({ sealed }) => sealed !== null)
    expect(usable.map(({ nonce }) => Number(nonce))).toEqual([0, 1])
  })

  test('a step that read the rows before a no-op was stored does not request it again', async () => {
    await using covered = await openPresigning({ presignCancel: 1 })
    const { signer } = covered
    await covered.sendWithHeldNoOp()
    const [request] = signer.held
    expect(request?.priority).toBe('presign')
    await covered.stepBeside(() => request?.sign())
    expect(await covered.rows()).toHaveLength(1)
    expect(signer.held).toEqual([])
  })

  test('a policy that is turned off deletes them, also those that are being signed', async () => {
    await using covered = await openPresigning()
    const { place, signer } = covered
    await covered.sendCovered()
    expect(await covered.rows()).toHaveLength(2)
    await covered.sendWithHeldNoOp()
    expect(signer.held.map(({ priority }) => priority)).toContain('presign')
    const { presignCancel: _, ...policies } = place.relayer.policies
    await place.context.store.commit((session) => session.saveRelayer({ ...place.relayer, policies }))
    expect(await covered.rows()).toEqual([])
    for (const each of [...signer.held]) each.sign()
    await covered.advance(2)
    expect(await covered.rows()).toEqual([])
  })

  test('they are deleted in the commit that makes their nonce final', async () => {
    await using covered = await openPresigning()
    const { place } = covered
    const id = await covered.sendCovered()
    const { attempts } = (await place.readAs(id, 'inFlight')).lifecycle
    const inclusions = new Map([[0, by(attempts[0])]])
    place.chain.view = someObservation({ nonce: 1, head: headAt(height + 1), inclusions })
    await covered.advance(1)
    expect((await place.read(id)).lifecycle.phase).toBe('mined')
    expect(await covered.rows()).toHaveLength(2)
    const head = headAt(height + somePolicy.requiredConfirmations)
    place.chain.view = someObservation({
      nonce: 1,
      head,
      inclusions,
      canonical: new Map([[height, by(attempts[0]).block.hash]]),
    })
    await covered.advance(1)
    expect((await place.read(id)).lifecycle.phase).toBe('final')
    expect(await covered.rows()).toEqual([])
  })
})

test('a price bump that they would not replace is signed once another one is stored, and broadcast after that', async () => {
  await using covered = await openPresigning({ presignCancel: 1 })
  const { place, signer } = covered
  const id = await covered.sendCovered()
  const [before] = await covered.rows()
  place.chain.view = someObservation({ head: headAt(height + 4) })
  signer.mood = 'holds'
  await covered.advance(2)
  // The key service could fail right after the bump.
  expect(signer.held.map(({ priority }) => priority)).toEqual(['replace'])
  expect((await place.readAs(id, 'inFlight')).lifecycle.attempts).toHaveLength(1)
  signer.held[0]?.sign()
  await covered.advance(1)
  const rows = await covered.rows()
  expect(rows).toHaveLength(2)
  expect(rows.map(({ hash }) => hash)).toContain(before?.hash)
  await covered.advance(1)
  signer.held[0]?.sign()
  await covered.advance(2)
  const { attempts } = (await place.readAs(id, 'inFlight')).lifecycle
  expect(attempts.map(({ kind }) => kind)).toEqual(['execute', 'execute'])
  signer.isOut = true
  await place.cancel(id)
  await covered.advance(2)
  expect(await covered.noOps()).toEqual([{ hash: rows.find(({ hash }) => hash !== before?.hash)?.hash, presigned: 1 }])
})

describe('while the signer is down', () => {
  test('a canceled transaction is raced with them, cheapest first, also by a process that just started', async () => {
    await using covered = await openPresigning()
    const { place, signer } = covered
    const id = await covered.sendCovered()
    const [near, far] = await covered.rows()
    signer.isOut = true
    signer.mood = 'holds'
    covered.restart()
    await covered.advance(2)
    expect(await covered.noOps()).toEqual([])
    await place.cancel(id)
    place.chain.whileBroadcasting = async () => {
      expect(await covered.noOps()).toEqual([{ hash: near?.hash, presigned: 1 }])
    }
    await covered.advance(1)
    expect(place.chain.broadcasts.at(-1)).toMatchObject({ hash: near?.hash, reach: 'all' })
    place.chain.whileBroadcasting = async () => {}
    expect((await place.read(id)).wait).toBeUndefined()
    // It is not mined in time: the dearer one follows, and then the transaction waits for the signer.
    place.chain.view = someObservation({ head: headAt(height + 2) })
    await covered.advance(1)
    expect(place.chain.broadcasts.at(-1)).toMatchObject({ hash: far?.hash })
    place.chain.view = someObservation({ head: headAt(height + 4) })
    await covered.advance(1)
    expect(await covered.noOps()).toHaveLength(2)
    expect(statusReasonOf(await place.read(id))).toMatch(/^canceled; signer "\w+" does not sign now/)
    expect(signer.held).toEqual([])
  })

  test('a fresh signature comes first while the signer works, and does not keep a cancellation waiting', async () => {
    await using covered = await openPresigning({ presignCancel: 1 })
    const { place, signer } = covered
    const first = await covered.sendCovered()
    await place.cancel(first)
    await covered.advance(2)
    expect(await covered.noOps()).toMatchObject([{ presigned: 0 }])

    const second = await covered.sendCovered()
    signer.mood = 'holds'
    await place.cancel(second)
    await covered.advance(1)
    expect(signer.held.map(({ priority }) => priority)).toEqual(['cancel'])
    expect(await covered.noOps()).toHaveLength(1)
    place.clock.advance(1_000)
    await covered.advance(1)
    const used = (await place.readAs(second, 'inFlight')).lifecycle.attempts.at(-1)
    expect(used).toMatchObject({ kind: 'cancel', presigned: true })
    // A late signature is not used.
    signer.held[0]?.sign()
    await quiescence()
    await covered.advance(1)
    expect((await place.readAs(second, 'inFlight')).lifecycle.attempts.at(-1)).toEqual(used)
  })

  test('only cancel_gas_price_cap limits them: pause, the cap of sends and the reserve do not', async () => {
    await using covered = await openPresigning({ presignCancel: 2 })
    const { place, signer } = covered
    const ids = [await covered.sendCovered(), await covered.sendCovered()]
    signer.isOut = true
    const [near] = await covered.rows()
    const policies: Policies = {
      ...place.relayer.policies,
      ...{ gasPriceCap: 1n, cancelReserve: 10n ** 24n, minBalance: 10n ** 24n },
      cancelGasPriceCap: BigInt(near?.max_fee_per_gas ?? 0) - 1n,
    }
    const save = (rules: Policies) =>
      place.context.store.commit((session) => session.saveRelayer({ ...place.relayer, paused: true, policies: rules }))
    await save(policies)
    for (const id of ids) await place.cancel(id)
    await covered.advance(2)
    expect(await covered.noOps()).toEqual([])
    await save({ ...policies, cancelGasPriceCap: BigInt(near?.max_fee_per_gas ?? 0) })
    await covered.advance(2)
    expect(await covered.noOps()).toMatchObject([{ presigned: 1 }, { presigned: 1 }])
  })

  test('under another key of stored secrets they stay usable, and without that key others are signed', async () => {
    await using covered = await openPresigning({ presignCancel: 1 })
    const { place, signer } = covered
    const id = await covered.sendCovered()
    const [near] = await covered.rows()
    const keyOf = (byte: number) => secret(Buffer.alloc(32, byte).toString('base64'))
    const { store, logger } = place.context
    await reseal(store, openVault({ current: keyOf(8), previous: [keyOf(7)] }, systemRandom()), logger)
    covered.useVault(openVault({ current: keyOf(8), previous: [] }, systemRandom()))
    signer.isOut = true
    await place.cancel(id)
    await covered.advance(1)
    expect(await covered.noOps()).toEqual([{ hash: near?.hash, presigned: 1 }])

    signer.isOut = false
    await covered.sendCovered()
    expect(await covered.rows()).toHaveLength(2)
    covered.useVault(openVault({ current: keyOf(9), previous: [] }, systemRandom()))
    await place.send()
    await covered.advance(4)
    // The key in memory signs alike twice, so the same row is sealed anew.
    const rows = await covered.rows()
    expect(rows.map(({ nonce }) => Number(nonce))).toEqual([0, 1, 2])
    expect(new Set(rows.slice(1).map(({ sealed }) => sealed?.split('.')[1])).size).toBe(1)
  })

  test('a start without a key of stored secrets is refused, if a relayer has the policy', async () => {
    await using covered = await openPresigning()
    const { store } = covered.place.context
    const none = openVault({ previous: [] }, systemRandom())
    await expect(requireStorageKey(store, none)).rejects.toThrow(
      'the policy presign_cancel of relayer "treasury" needs a key',
    )
    await requireStorageKey(store, covered.place.context.vault)
    await store.commit((session) => session.saveRelayer(someRelayer()))
    await requireStorageKey(store, none)
  })

  test('a row that was changed is deleted, and the next one is used', async () => {
    await using covered = await openPresigning()
    const { place, signer } = covered
    const id = await covered.sendCovered()
    const [near, far] = await covered.rows()
    if (!near || !far?.sealed) throw new Error('no-ops are missing')
    const swapped = { relayerId: place.relayer.id, nonce: 0, hash: near.hash as Hash, sealed: far.sealed }
    await place.context.store.commit((session) => session.sealPresigned(swapped))
    signer.isOut = true
    await place.cancel(id)
    await covered.advance(2)
    expect(await covered.noOps()).toEqual([{ hash: far.hash, presigned: 1 }])
    expect((await covered.rows()).map(({ hash }) => hash)).toEqual([far.hash])
  })

  test('a price bump outdates level 1, and a new one replaces it in the background', async () => {
    await using covered = await openPresigning()
    const { place } = covered
    const id = await covered.sendCovered()
    const [near] = await covered.rows()
    const market = { ...someMarket, baseFee: 40n * gwei, gasPrice: 42n * gwei }
    place.chain.view = someObservation({ head: headAt(height + 4, { baseFee: 40n * gwei }), market })
    await covered.advance(5)
    const { attempts } = (await place.readAs(id, 'inFlight')).lifecycle
    expect(attempts).toHaveLength(2)
    const rows = await covered.rows()
    expect(rows.map(({ hash }) => hash)).not.toContain(near?.hash)
    expect(rows.length).toBeGreaterThanOrEqual(2)
    expect(place.chain.broadcasts).toHaveLength(2)
  })
})
