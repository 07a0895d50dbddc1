// Reads and writes policies by their table.
import { type Policies, type Policy, type PolicyKinds, policyTable } from './policy-table.ts'

export type PolicyKey = keyof Policies
export type PolicyValue = PolicyKinds[keyof PolicyKinds]

/** The keys in the order of the table. Object.keys types its result as plain strings. */
export const policyKeys = Object.keys(policyTable) as readonly PolicyKey[]

const entries: readonly (readonly [PolicyKey, Policy])[] = policyKeys.map((key) => [key, policyTable[key]])

/** A policy in force, and its value. */
export type SetPolicy = {
  [Kind in keyof PolicyKinds]: { readonly name: string; readonly kind: Kind; readonly value: PolicyKinds[Kind] }
}[keyof PolicyKinds]

/** `read` returns the value of each policy, of its kind; undefined if there is none. */
export function policiesBy(read: (policy: Policy, key: PolicyKey) => PolicyValue | undefined): Policies {
  const values = entries.flatMap(([key, policy]) => {
    const value = read(policy, key) ?? policy.default
    return value === undefined || value === policy.implied ? [] : [[key, value]]
  })
  // The keys and kinds are the table's, and the type derives from it.
  return Object.fromEntries(values) as Policies
}

/** The policies in force, in the order of the table, including implied values. */
export function setPolicies(policies: Policies): readonly SetPolicy[] {
  return entries.flatMap(([key, { name, kind, default: standIn, implied }]) => {
    const value = policies[key] ?? standIn ?? implied
    // The table gives each key the kind of its value: the compiler can't follow that through a loop.
    return value === undefined ? [] : [{ name, kind, value } as SetPolicy]
  })
}
