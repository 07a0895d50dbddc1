// Writes of an owner beside its steps. As the last step does, the last of them ends before another owner begins.
import { OwnershipLost } from '../domain/errors.ts'
import type { Ownership } from '../ownership/ownership.ts'

const underWay = new WeakMap<Ownership, Promise<unknown>>()

/** One at a time for each owner. Throws OwnershipLost once the relayer has to be released. */
export async function writeBeside(ownership: Ownership, write: () => Promise<void>): Promise<void> {
  if (ownership.lost.aborted) throw new OwnershipLost(`relayer ${ownership.relayer} is being released`)
  const written = write()
  underWay.set(
    ownership,
    written.catch(() => undefined),
  )
  await written
}

/** Resolves when no such write is under way. */
export async function writesEnded(ownership: Ownership): Promise<void> {
  await underWay.get(ownership)
}
