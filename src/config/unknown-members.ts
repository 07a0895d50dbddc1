// Members that the file has and the schema does not. Files of other services have notes and members of their own, which may pass. A
// misspelled limit may not: it would be no limit.
import { nearestName } from '../ops/near-names.ts'
import { configSchema, type FileSchema } from './config-schema.ts'
import type { RefuseUnknown } from './members.ts'
import type { Report } from './report.ts'

/** Whether a member is a note for people: it passes in a strict file, too. */
function isNote(name: string): boolean {
  return name === 'description' || name.startsWith('_')
}

/**
 * For the top level and for relayers. A note passes. Any other unknown member passes with a warning where its value is a scalar and its
 * name resembles no member of any object of the schema; `isStrict` refuses it.
 */
export function tolerateUnknown(isStrict: boolean, report: Report): RefuseUnknown {
  return (unknown, refuse) => {
    const { name, value, place, known } = unknown
    if (isNote(name)) return
    const meant = nearestName(name, known) ?? nearestName(name, schemaMembers)
    if (meant !== undefined && !known.includes(meant)) {
      report.problem(place, `is no member here; did you mean "${meant}"? It belongs to another object`)
    } else if (meant !== undefined || !isScalar(value)) refuse(unknown)
    else if (isStrict) {
      report.problem(place, 'is no member of the file, and the check is strict; remove it, or begin its name with "_"')
    } else report.warn(place, 'is no member of the file, and has no effect')
  }
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}

/** The members of every object of the schema of the file, without notes. */
export const schemaMembers: readonly string[] = [...new Set(membersOf(configSchema))].filter((name) => !isNote(name))

function membersOf(schema: FileSchema): readonly string[] {
  return Object.entries(schema).flatMap(([keyword, part]): readonly string[] => {
    if (typeof part !== 'object' || part === null) return []
    // Annotations may hold anything. Members of key services, such as region and token, are words that other notes have, too.
    if (['examples', 'enum', 'const', 'required', 'keyServiceSigner'].includes(keyword)) return []
    if (keyword === 'properties') return [...Object.keys(part), ...membersOf({ ...part })]
    return membersOf({ ...part })
  })
}
