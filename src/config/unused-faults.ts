// Faults in networks, signers and notifications that no relayer names. A list of networks with a typo in one that nobody uses, or a
// signer whose variable is set elsewhere, stops no start: each is a warning, and the faulty entity is left out.
import type { FaultyEntity } from '../domain/settings.ts'
import { memberOf } from '../ops/member.ts'
import type { Problem, Report } from './report.ts'

/** The problems that parsing found in an entity of the file. */
export interface EntityProblems extends Pick<FaultyEntity, 'kind' | 'name'> {
  readonly problems: readonly Problem[]
}

/** The members of a relayer that name other entities. */
const referring: Readonly<Record<FaultyEntity['kind'], string>> = {
  network: 'network',
  signer: 'signer_id',
  notification: 'notification_id',
}

/** `relayers`: those of the file. Faults of entities that one of them names become problems. Returns the others. */
export function settleFaults(
  found: readonly EntityProblems[],
  relayers: readonly { readonly value: unknown }[],
  report: Report,
): readonly FaultyEntity[] {
  const faulty = new Map<string, FaultyEntity>()
  for (const { kind, name, problems } of found) {
    if (problems.length === 0) continue
    if (relayers.some(({ value }) => memberOf(value, referring[kind]) === name)) {
      for (const { place, message } of problems) report.problem(place, message)
      continue
    }
    for (const { place, message } of problems) {
      report.warn(place, `${message} (no relayer of the file names this ${kind}, so it is left out)`)
    }
    const key = JSON.stringify([kind, name])
    const faults = problems.map(({ place, message }) => `${place}: ${message}`)
    faulty.set(key, { kind, name, faults: [...(faulty.get(key)?.faults ?? []), ...faults] })
  }
  return [...faulty.values()]
}
