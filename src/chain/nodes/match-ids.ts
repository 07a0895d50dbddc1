// Finds the members of a response by the ids of its calls. An id that occurs twice, or that no call has, is no answer.
import type { BatchMember } from './response-body.ts'

interface MatchedIds {
  readonly byId: ReadonlyMap<unknown, BatchMember>
  /** A member answers no call, or a call that another member answers, too. */
  readonly areMixed: boolean
}

/** An error about the whole request has no id, or null. */
export function matchIds(members: readonly BatchMember[], ids: readonly unknown[]): MatchedIds {
  const named = members.filter(({ id }) => id !== undefined && id !== null)
  const counts = new Map<unknown, number>()
  for (const { id } of named) counts.set(id, (counts.get(id) ?? 0) + 1)
  const isSound = ({ id }: BatchMember) => counts.get(id) === 1 && ids.includes(id)
  return {
    byId: new Map(named.filter(isSound).map((member) => [member.id, member])),
    areMixed: !named.every(isSound),
  }
}
