// Keys of a relayer under four eyes: three send, replace and release, often wrongly; a fourth only releases.
import type { ApiKeyId } from '../src/domain/ids.ts'
import { payloadDigest } from '../src/domain/payload-digest.ts'
import { transactionFromRow } from '../src/store/transactions/rows/transaction-row.ts'
import { tagOf } from './chain/transaction.ts'
import type { Row } from './check/row.ts'
import type { Shown } from './clients.ts'
import type { Service } from './service.ts'
import type { World } from './world.ts'

const senders = ['anna', 'ben', 'cleo'] as ApiKeyId[]
const approver = 'dora' as ApiKeyId

/** The key of a send or a PUT, which is noted. Undefined where no relayer is under four eyes. */
export function settingKey({ scenario, fourEyesDice, fourEyes }: World, tag: number): ApiKeyId | undefined {
  if (scenario.fourEyes === undefined) return undefined
  const key = fourEyesDice.pick(senders)
  fourEyes.sets(tag, key)
  return key
}

/** A key releases a transaction on hold: by the current digest, by an older one, or by none. */
export function varyFourEyes(world: World, service: Service): void {
  const { scenario, fourEyesDice: dice, rows, shownPayloads } = world
  if (scenario.fourEyes === undefined || !dice.chance(scenario.fourEyes)) return
  const held = [...rows.all().values()].filter(({ phase }) => phase === 'held')
  if (held.length === 0) return
  const row = dice.pick(held)
  const seen = shownPayloads.get(row.id) ?? []
  if (seen.length === 0 || dice.chance(0.7)) seen.push(shownOf(row))
  shownPayloads.set(row.id, seen)
  const shown = dice.chance(0.1) ? undefined : dice.chance(0.7) ? seen.at(-1) : dice.pick(seen)
  service.approve(row, shown, dice.pick([...senders, approver]))
}

/** Releases everything, by the key that sends nothing. */
export function approveHeld({ scenario, rows }: World, service: Service): void {
  if (scenario.fourEyes === undefined) return
  for (const row of rows.all().values()) if (row.phase === 'held') service.approve(row, shownOf(row), approver)
}

function shownOf(row: Row): Shown {
  return { tag: tagOf({ data: row.data }) ?? -1, digest: payloadDigest(transactionFromRow(row, [])) }
}
