// Signers that open later than the process starts: what becomes of their relayers, until then and afterwards.
import { expect, test } from 'vitest'
import { submitTransaction } from '../../src/commands/transactions/submit.ts'
import { awaitSigners } from '../../src/compose-signers.ts'
import type { RelayerId } from '../../src/domain/ids.ts'
import type { RegistryFile } from '../../src/registry/entities.ts'
import { type ParsedFile, registryFile } from '../../src/registry/registry-file.ts'
import { openCurve } from '../../src/signers/curve.ts'
import { openPlainSigner } from '../../src/signers/key-signer.ts'
import type { Signer } from '../../src/signers/signer.ts'
import { until } from '../../tooling/client.ts'
import { devAccount } from '../../tooling/dev-accounts.ts'
import { somePolicies } from '../domain/some.ts'
import { openWorkplace, request, type Workplace } from '../engine/workplace.ts'
import { quiet } from '../store/open-store.ts'
import { quiescence } from '../support/settled.ts'

const curve = await openCurve(quiet)
const signerOf = (index: number) => openPlainSigner('s', devAccount(index).key, curve)

/** A file with relayers whose signers, `a` and `b`, are out; they open as what `keys` has. */
async function awaiting(place: Workplace, relayers: readonly { readonly id: string; readonly signerId: string }[]) {
  const common = { name: 'late', paused: false, policies: somePolicies }
  const parsed = {
    relayers: relayers.map((relayer) => ({ ...relayer, ...common, network: place.relayer.network })),
    signers: ['a', 'b'].map((id) => ({ id, type: 'aws_kms' as const })),
    networks: [{ name: place.relayer.network, chainId: place.relayer.chainId }],
    notifications: [],
  } as unknown as ParsedFile
  const signers = new Map<string, Signer>()
  const keys = new Map<string, Signer>()
  const closed: string[] = []
  let file: RegistryFile = registryFile(parsed, signers)
  const admitted: RegistryFile[] = []
  const registry = {
    get file() {
      return file
    },
    async admit(next: RegistryFile) {
      file = next
      admitted.push(next)
    },
  }
  const awaited = awaitSigners({
    ...{ parsed, signers, registry, store: place.under.store, clock: place.clock, logger: quiet, announce: () => {} },
    awaited: ['a', 'b'].map((id) => ({
      id,
      code: () => 'ECONNREFUSED',
      tryAgain: async () => keys.get(id),
      close: async () => void closed.push(id),
    })),
  })
  async function pass(): Promise<void> {
    for (let count = 0; count < 5; count += 1) {
      await quiescence()
      place.clock.advance(1_000)
    }
    await quiescence()
  }
  /** A database takes its own time, whatever the clock of the test shows. */
  async function passUntil(isSo: () => Promise<boolean> | boolean): Promise<void> {
    const what = 'a signer to be admitted or refused'
    await until(() => pass().then(isSo), { what })
  }
  return {
    ...awaited,
    ...{ pass, passUntil },
    keys,
    admitted,
    closed,
    stored: (id: string) => place.under.store.reads.relayer(id as RelayerId),
  }
}

test('a relayer is stored with the address of its signer as soon as that opens, and not before', async () => {
  await using place = await openWorkplace()
  const late = await awaiting(place, [{ id: 'late', signerId: 'a' }])
  await late.pass()
  expect(late.whyAwaited('late')).toMatch(/^signer "a" of relayer "late" has not opened .*\(ECONNREFUSED\)/)
  expect(late.awaitedCode('a')).toBe('ECONNREFUSED')
  expect(await late.stored('late')).toBeUndefined()
  late.keys.set('a', signerOf(3))
  await late.passUntil(() => late.admitted.length > 0)
  expect(await late.stored('late')).toMatchObject({ address: devAccount(3).address, signerId: 'a', paused: false })
  expect(late.admitted).toMatchObject([{ awaited: [], relayers: [{ id: 'late' }] }])
  expect([late.whyAwaited('late'), late.awaitedCode('a'), late.whyAwaited('unknown')].filter(Boolean)).toEqual([])
  await late[Symbol.asyncDispose]()
  expect(late.closed).toEqual(['b'])
})

test('a relayer whose account another has stays out, with the reason', async () => {
  await using place = await openWorkplace()
  const relayers = [...['a1', 'a2'].map((id) => ({ id, signerId: 'a' })), { id: 'b1', signerId: 'b' }]
  const late = await awaiting(place, relayers)
  late.keys.set('a', signerOf(3))
  // The account of a relayer in the database.
  late.keys.set('b', signerOf(0))
  await late.passUntil(() => ['a1', 'b1'].every((id) => late.whyAwaited(id)?.includes('is not used')))
  expect(late.whyAwaited('a1')).toMatch(/signer "a" of relayer "a1" is not used: .*as relayer "a1" does.*/)
  expect(late.whyAwaited('b1')).toMatch(/is not used: relayer "b1": .* in the database/)
  for (const { id } of relayers) expect(await late.stored(id)).toBeUndefined()
  await late[Symbol.asyncDispose]()
})

test('sends of a relayer whose new signer has not opened are refused, although its earlier account is stored', async () => {
  await using place = await openWorkplace()
  const { id } = place.relayer
  const late = await awaiting(place, [{ id, signerId: 'a' }])
  const { whyAwaited } = late
  const sending = submitTransaction({ ...place.commands, whyAwaited }, id, request)
  await expect(sending).rejects.toMatchObject({ code: 'SIGNER_UNAVAILABLE' })
  await late[Symbol.asyncDispose]()
})
