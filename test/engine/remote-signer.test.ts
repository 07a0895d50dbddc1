// Steps over a slow signer: work without a signature goes on, a signed attempt is recorded before its bytes
// leave, and a failure is one transaction's own.
import { expect, test } from 'vitest'
import { submitOnce } from '../../src/commands/transactions/submit.ts'
import { administratorId } from '../../src/domain/api-key.ts'
import type { Policies } from '../../src/domain/policy-table.ts'
import type { NetworkPolicy } from '../../src/domain/relayer.ts'
import { statusReasonOf } from '../../src/domain/wait.ts'
import { trackBroadcasts } from '../../src/engine/broadcasts-under-way.ts'
import { trackPresigning } from '../../src/engine/presign.ts'
import { trackSignatures } from '../../src/engine/signatures-under-way.ts'
import { step as stepWithoutAnswers } from '../../src/engine/step.ts'
import type { StepContext } from '../../src/engine/step-context.ts'
import { bell } from '../../src/ops/bell.ts'
import { SignerUnavailable } from '../../src/signers/signer.ts'
import type { Store } from '../../src/store/store.ts'
import { blockHash, by, headAt, height, someMarket, someObservation, somePolicy } from '../domain/some.ts'
import { quiescence } from '../support/settled.ts'
import { heldSigner } from './held-signer.ts'
import { nothingUnknown, openWorkplace, request, step } from './workplace.ts'

async function openRemote(groupMax?: number, policies: Partial<Policies> = {}, network: Partial<NetworkPolicy> = {}) {
  const place = await openWorkplace(policies)
  const signer = heldSigner(place.context.signerOf(place.relayer), groupMax)
  const context: StepContext = {
    ...place.context,
    signerOf: () => signer,
    policyOf: () => ({ ...somePolicy, ...network }),
  }
  const ownership = await place.own()
  let rung = 0
  let isAnswered = false
  const underWay = {
    wake: () => {},
    urgent: bell(),
    broadcasts: trackBroadcasts(
      () => {
        isAnswered = true
      },
      () => {},
    ),
    signatures: trackSignatures(place.clock, () => {
      rung += 1
    }),
    presigning: trackPresigning(place.clock, () => {}),
  }
  /** A step, and the next one if answers wake the owner. */
  const stepOnce = async () => {
    isAnswered = false
    const result = await step(context, ownership, nothingUnknown, underWay)
    return isAnswered ? step(context, ownership, nothingUnknown, underWay) : result
  }
  /** Lets the groups that are answered end. */
  async function settle(): Promise<number> {
    await quiescence()
    return rung
  }
  return {
    place,
    signer,
    ownership,
    context,
    underWay,
    step: stepOnce,
    settle,
    /** Signs and broadcasts a transaction. The signer goes on signing. */
    async sendSigned() {
      signer.mood = 'signs'
      const id = await place.send()
      await stepOnce()
      await settle()
      await stepOnce()
      return id
    },
    nonces: async () =>
      (await place.under.query<{ nonce: number }>('SELECT nonce FROM attempts ORDER BY nonce')).map(({ nonce }) =>
        Number(nonce),
      ),
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  }
}

test('while a signature hangs, a mined transaction is settled, and no signed bytes have left', async () => {
  await using remote = await openRemote()
  const { place, signer } = remote
  const first = await remote.sendSigned()
  expect(place.chain.broadcasts).toHaveLength(1)
  const { attempts } = (await place.readAs(first, 'inFlight')).lifecycle

  signer.mood = 'holds'
  const second = await place.send()
  await remote.step()
  expect(signer.held.map(({ nonce, priority }) => [nonce, priority])).toEqual([[1, 'payload']])
  expect((await place.read(second)).lifecycle.phase).toBe('queued')
  place.chain.view = someObservation({
    nonce: 1,
    head: headAt(height + somePolicy.requiredConfirmations),
    inclusions: new Map([[0, by(attempts[0])]]),
  })
  await remote.step()
  expect((await place.read(first)).lifecycle.phase).not.toBe('inFlight')
  expect(place.chain.broadcasts).toHaveLength(1)

  signer.held[0]?.sign()
  expect(await remote.settle()).toBe(2)
  await remote.step()
  expect((await place.readAs(second, 'inFlight')).lifecycle.nonce).toBe(1)
  expect(place.chain.broadcasts).toHaveLength(2)
})

test('the next nonce is signed while nodes answer for the one before, and its bytes leave after that', async () => {
  await using remote = await openRemote()
  const { place, signer, context, ownership, underWay } = remote
  const go = async () => {
    await stepWithoutAnswers(context, ownership, nothingUnknown, underWay)
    await remote.settle()
  }
  const answers = Promise.withResolvers<void>()
  place.chain.whileBroadcasting = () => answers.promise
  signer.mood = 'signs'
  await place.send()
  await go()
  await go()
  expect(place.chain.broadcasts).toHaveLength(1)

  signer.mood = 'holds'
  await place.send()
  await go()
  expect(signer.held.map(({ nonce }) => nonce)).toEqual([1])
  signer.held[0]?.sign()
  await remote.settle()
  await go()
  expect(await remote.nonces()).toEqual([0])
  expect(place.chain.broadcasts).toHaveLength(1)

  answers.resolve()
  await underWay.broadcasts.ended()
  await go()
  expect(await remote.nonces()).toEqual([0, 1])
  expect(place.chain.broadcasts).toHaveLength(2)
})

test('a nonce signed for room that a reorganization took back stays unused', async () => {
  await using remote = await openRemote(undefined, { maxInFlight: 1 })
  const { place, signer } = remote
  const first = await remote.sendSigned()
  const { attempts } = (await place.readAs(first, 'inFlight')).lifecycle

  signer.mood = 'holds'
  const second = await place.send()
  const head = headAt(height + 1)
  place.chain.view = someObservation({ nonce: 1, head, inclusions: new Map([[0, by(attempts[0])]]) })
  await remote.step()
  expect((await place.read(first)).lifecycle.phase).toBe('mined')
  await remote.step()
  expect(signer.held.map(({ nonce }) => nonce)).toEqual([1])
  place.chain.view = someObservation({ head, canonical: new Map([[height, blockHash(7)]]) })
  await remote.step()
  expect((await place.read(first)).lifecycle.phase).toBe('inFlight')

  signer.held[0]?.sign()
  await remote.settle()
  await remote.step()
  expect(await remote.nonces()).toEqual([0])
  expect((await place.read(second)).lifecycle.phase).toBe('queued')
})

test('new nonces are bound up to the first that failed, which waits and is tried again', async () => {
  await using remote = await openRemote()
  const { place, signer, clock } = { ...remote, clock: remote.place.clock }
  const ids = [await place.send(), await place.send(), await place.send()]
  await remote.step()
  signer.held[2]?.sign()
  signer.held[1]?.fail()
  signer.held[0]?.sign()
  await remote.settle()
  const { againAfterMs, conditions } = await remote.step()
  expect(await remote.nonces()).toEqual([0])
  expect(conditions).toEqual(['signer_unavailable'])
  expect(againAfterMs).toBe(250)
  const [, second] = ids
  if (!second) throw new Error('nothing was sent')
  const waiting = await place.read(second)
  expect(waiting.wait).toEqual({
    condition: 'signer_unavailable',
    facts: { signerId: place.relayer.signerId, code: 'Down', isPermanent: false },
    since: expect.any(Number),
  })
  expect(signer.held).toEqual([])

  signer.mood = 'signs'
  clock.advance(250)
  await remote.step()
  await remote.settle()
  await remote.step()
  expect(await remote.nonces()).toEqual([0, 1, 2])
  expect((await place.read(waiting.id)).wait).toBeUndefined()
  expect(place.chain.broadcasts).toHaveLength(3)
})

test('after many failures a signature is requested again within a second, and the condition names its activity', async () => {
  await using remote = await openRemote()
  const { place, signer } = remote
  const facts = { code: 'CONSENSUS_NEEDED', isPermanent: true, activity: '7-a' }
  signer.sign = () => Promise.reject(new SignerUnavailable('people have to approve it', facts))
  const id = await place.send()
  const pauses: (number | undefined)[] = []
  for (let times = 0; times < 6; times += 1) {
    await remote.step()
    await remote.settle()
    const { againAfterMs = 0 } = await remote.step()
    pauses.push(againAfterMs)
    place.clock.advance(againAfterMs)
  }
  expect(pauses).toEqual([250, 500, 750, 750, 750, 750])
  expect(statusReasonOf(await place.read(id))).toBe(
    `waits: signer "${place.relayer.signerId}" does not sign this now (CONSENSUS_NEEDED), until people approve activity 7-a there: then the service goes on`,
  )
})

test('a no-op waits for no payload that is being signed, and the payload of a canceled transaction is not used', async () => {
  await using remote = await openRemote()
  const { place, signer } = remote
  const first = await remote.sendSigned()

  signer.mood = 'holds'
  const second = await place.send()
  await remote.step()
  await place.cancel(first)
  await place.cancel(second)
  await remote.step()
  expect(signer.held.map(({ nonce, priority }) => [nonce, priority])).toEqual([
    [1, 'payload'],
    [0, 'cancel'],
  ])
  signer.held[1]?.sign()
  await remote.settle()
  await remote.step()
  expect(place.chain.broadcasts[1]).toMatchObject({ reach: 'all' })
  signer.held[0]?.sign()
  await remote.settle()
  await remote.step()
  expect(place.chain.broadcasts).toHaveLength(2)
  expect(await place.read(second)).toMatchObject({ lifecycle: { phase: 'dropped' } })
})

test('a bid that was priced while no pool had the attempt before it stays unused once a pool has', async () => {
  await using remote = await openRemote()
  const { place, signer } = remote
  place.chain.answer = () => ({
    kind: 'rejected',
    code: 'feeTooLow',
    message: 'max fee per gas less than block base fee',
  })
  const id = await remote.sendSigned()
  const attempts = async () => (await place.readAs(id, 'inFlight')).lifecycle.attempts.map(({ fees }) => fees)
  const [first] = await attempts()
  if (first?.kind !== 'eip1559') throw new Error('nothing was sent')

  signer.mood = 'holds'
  const market = { ...someMarket, baseFee: first.maxFeePerGas + 1n }
  place.chain.view = someObservation({ head: headAt(height + 1), market })
  await remote.step()
  expect(signer.held.map(({ nonce }) => nonce)).toEqual([0])
  place.chain.answer = () => ({ kind: 'accepted' })
  place.clock.advance(60_000)
  place.chain.view = someObservation({ head: headAt(height + 2), market })
  await remote.step()
  expect(place.chain.broadcasts).toHaveLength(2)

  signer.held[0]?.sign()
  await remote.settle()
  await remote.step()
  expect(await attempts()).toEqual([first])
  // It is priced anew, over what the pool holds.
  place.clock.advance(60_000)
  place.chain.view = someObservation({ head: headAt(height + 60), market })
  await remote.step()
  signer.held[0]?.sign()
  await remote.settle()
  await remote.step()
  expect(await attempts()).toHaveLength(2)
})

test('a bump of a payload that was canceled while it was signed stays unused', async () => {
  await using remote = await openRemote()
  const { place, signer } = remote
  place.chain.answer = () => ({
    kind: 'rejected',
    code: 'feeTooLow',
    message: 'max fee per gas less than block base fee',
  })
  const id = await remote.sendSigned()
  const attempts = async () => (await place.readAs(id, 'inFlight')).lifecycle.attempts
  const [first] = await attempts()
  if (first?.fees.kind !== 'eip1559') throw new Error('nothing was sent')

  signer.mood = 'holds'
  const market = { ...someMarket, baseFee: first.fees.maxFeePerGas + 1n }
  place.chain.view = someObservation({ head: headAt(height + 1), market })
  await remote.step()
  expect(signer.held.map(({ nonce, priority }) => [nonce, priority])).toEqual([[0, 'replace']])
  await place.cancel(id)
  signer.held[0]?.sign()
  await remote.settle()
  await remote.step()
  expect((await attempts()).filter(({ kind }) => kind !== 'cancel')).toEqual([first])
})

test('a no-op that was requested before the sequencer ordered the payload stays unused', async () => {
  await using remote = await openRemote(undefined, {}, { profile: { ...somePolicy.profile, pool: 'fcfs' } })
  const { place, signer } = remote
  const sequencer = Promise.withResolvers<void>()
  place.chain.whileBroadcasting = () => sequencer.promise
  place.chain.answer = () => ({ kind: 'accepted', code: 'ordered' })
  signer.mood = 'signs'
  const id = await place.send()
  await remote.step()
  await remote.settle()
  const stepOnly = () => stepWithoutAnswers(remote.context, remote.ownership, nothingUnknown, remote.underWay)
  await stepOnly()
  expect(place.chain.broadcasts).toHaveLength(1)

  signer.mood = 'holds'
  await place.cancel(id)
  await stepOnly()
  expect(signer.held.map(({ nonce, priority }) => [nonce, priority])).toEqual([[0, 'cancel']])
  sequencer.resolve()
  await remote.underWay.broadcasts.ended()
  signer.held[0]?.sign()
  await remote.settle()
  await remote.step()
  const { attempts } = (await place.readAs(id, 'inFlight')).lifecycle
  expect(attempts.map(({ kind, broadcast }) => [kind, broadcast])).toEqual([
    ['execute', expect.objectContaining({ outcome: { kind: 'accepted', code: 'ordered' } })],
  ])
})

test('a pause that is answered while a signature is under way leaves it unused', async () => {
  await using remote = await openRemote()
  const { place, signer } = remote
  const id = await place.send()
  await remote.step()
  await place.context.store.commit((session) => session.saveRelayer({ ...place.relayer, paused: true }))
  signer.held[0]?.sign()
  await remote.settle()
  await remote.step()
  expect(await remote.nonces()).toEqual([])
  expect(place.chain.broadcasts).toEqual([])
  expect((await place.read(id)).lifecycle.phase).toBe('queued')
})

test('a bulk cancellation is signed in groups, lowest nonce first', async () => {
  await using remote = await openRemote(2)
  const { place, signer } = remote
  signer.mood = 'signs'
  for (let count = 0; count < 4; count += 1) await place.send()
  for (let count = 0; count < 3; count += 1) {
    await remote.step()
    await remote.settle()
  }
  expect(await remote.nonces()).toEqual([0, 1, 2, 3])
  const before = place.chain.broadcasts.length
  await place.cancelAll()
  signer.mood = 'holds'
  await remote.step()
  expect(signer.held.map(({ nonce }) => nonce)).toEqual([0, 1])
  signer.mood = 'signs'
  for (const each of [...signer.held]) each.sign()
  for (let count = 0; count < 2; count += 1) {
    await remote.settle()
    await remote.step()
  }
  const noOps = place.chain.broadcasts.slice(before)
  const attempts = await place.under.query<{ hash: string }>(
    "SELECT hash, nonce FROM attempts WHERE kind = 'cancel' ORDER BY nonce",
  )
  expect(noOps.map(({ hash }) => hash)).toEqual(attempts.map(({ hash }) => hash))
  expect(attempts).toHaveLength(4)
})

test('during an outage nothing is requested, each canceled transaction says why, and the owner stays', async () => {
  await using remote = await openRemote()
  const { place, signer } = remote
  signer.mood = 'signs'
  const id = await place.send()
  await remote.step()
  await remote.settle()
  await remote.step()
  signer.isOut = true
  signer.mood = 'holds'
  await place.cancel(id)
  await remote.step()
  expect(signer.held).toEqual([])
  expect(statusReasonOf(await place.read(id))).toBe(
    `canceled; signer "${place.relayer.signerId}" does not sign now (Disabled), until an operator acts: correct it, and the service goes on`,
  )
  signer.isOut = false
  signer.mood = 'signs'
  await remote.step()
  await remote.settle()
  await remote.step()
  await remote.step()
  expect((await place.read(id)).wait).toBeUndefined()
  expect(place.chain.broadcasts.at(-1)).toMatchObject({ reach: 'all' })
})

test('signatures are recorded, too, where the commit runs them again since a send beside them failed', async () => {
  await using remote = await openRemote()
  const { place, signer, context, ownership, underWay } = remote
  for (let each = 0; each < 4; each += 1) await place.send()
  await remote.step()
  for (const each of signer.held) each.sign()
  await remote.settle()
  const refused: string[] = []
  const commit: Store['commit'] = (unit, relayer, ahead) => {
    const recording = context.store.commit(unit, relayer, ahead)
    // It has written its key by then, so what shares the commit runs again.
    const claim = { owner: administratorId, key: 'a key', digest: 'a digest' }
    submitOnce(place.commands, place.relayer.id, { ...request, validUntil: 1 }, claim).catch(({ code }) =>
      refused.push(code),
    )
    return recording
  }
  await step({ ...context, store: { ...context.store, commit } }, ownership, nothingUnknown, underWay)
  expect(await remote.nonces()).toEqual([0, 1, 2, 3])
  expect(refused).not.toEqual([])
})
