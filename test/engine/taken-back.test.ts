// An execution that was confirmed, and is not any more: the log says whether a reorganization or a false inclusion was the cause.
import { expect, test } from 'vitest'
import { statusOf } from '../../src/domain/transaction.ts'
import type { Testimony } from '../../src/domain/witness.ts'
import { blockHash, by, headAt, height, someObservation, somePolicy } from '../domain/some.ts'
import { quiet } from '../store/open-store.ts'
import { noneHanging, nothingUnknown, openWorkplace, step } from './workplace.ts'

const nobody = { shownBy: [], listedBy: [], refutedBy: [], unlistedBy: [], elsewhereBy: [] }
const others = { providers: 3, silentMs: 0, laterBlocks: 3 }
const canonical = new Map([[height, blockHash(height)]])

const causes: Readonly<Record<string, { testimony?: Partial<Testimony>; canonical?: typeof canonical }>> = {
  'a reorganization took back a confirmed transaction': { canonical: new Map([[height, blockHash(height + 1_000)]]) },
  'a confirmed transaction rests on a false inclusion, which other endpoints refute': {
    testimony: { shownBy: [0], refutedBy: [1, 2], unlistedBy: [1, 2] },
  },
  'endpoints contradict each other about a confirmed transaction': {
    testimony: { shownBy: [0], refutedBy: [1], unlistedBy: [1] },
  },
}

test.each(Object.entries(causes))('%s', async (message, cause) => {
  await using place = await openWorkplace()
  const errors: string[] = []
  const context = {
    ...place.context,
    logger: { ...quiet, error: (_: object, text: string) => void errors.push(text) },
    policyOf: () => ({ ...somePolicy, finality: 'finalized', secondWitness: 'prefer' }) as const,
  }
  const ownership = await place.own()
  const look = () => step(context, ownership, nothingUnknown, noneHanging)
  const id = await place.send()
  await look()
  const { attempts } = (await place.readAs(id, 'inFlight')).lifecycle
  const inclusion = by(attempts[0])
  place.chain.view = someObservation({ nonce: 1, inclusions: new Map([[0, inclusion]]) })
  await look()
  const view = { nonce: 1, head: headAt(height + 3), canonical }
  const said = (testimony: Partial<Testimony>) => new Map([[inclusion.hash, { ...nobody, ...others, ...testimony }]])
  place.chain.view = someObservation({ ...view, testimonies: said({ shownBy: [0], silentMs: 60_000 }) })
  await look()
  expect(statusOf(await place.read(id))).toBe('confirmed')

  place.chain.view = someObservation({
    ...view,
    tagged: height,
    testimonies: said(cause.testimony ?? {}),
    canonical: cause.canonical ?? canonical,
  })
  for (let steps = 0; steps < 3; steps += 1) await look()
  expect(statusOf(await place.read(id))).toBe('submitted')
  expect(errors).toEqual([message])
})
