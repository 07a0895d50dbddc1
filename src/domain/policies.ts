// Policies made and taken apart by their table.
import { type Policies, type Policy, type PolicyKinds, policyTable } from './policy-table.ts'

export type PolicyKey = keyof Policies
export type PolicyValue = PolicyKinds[keyof PolicyKinds]

/** In the order of the table. Object.keys knows keys as texts only. */
export const policyKeys = Object.keys(policyTable) as readonly PolicyKey[]

const entries: readonly (readonly [PolicyKey, Policy])[] = policyKeys.map((key) => [key, policyTable[key]])

/** A policy that is in force, and its value. */
export type HeldPolicy = {
  [Kind in keyof PolicyKinds]: { readonly name: string; readonly kind: Kind; readonly value: PolicyKinds[Kind] }
}[keyof PolicyKinds]

/** `read` gives the value of each policy, of its kind; undefined where there is none. */
export function policiesBy(read: (policy: Policy, key: PolicyKey) => PolicyValue | undefined): Policies {
  const values = entries.flatMap(([key, policy]) => {
    const value = read(policy, key) ?? policy.default
    return value === undefined || value === policy.implied ? [] : [[key, value]]
  })
  // The keys and kinds are the table's, from which the type is made.
  return Object.fromEntries(values) as Policies
}

/** In the order of the table, also those that go without saying. */
export function heldPolicies(policies: Policies): readonly HeldPolicy[] {
  return entries.flatMap(([key, { name, kind, default: standIn, implied }]) => {
    const value = policies[key] ?? standIn ?? implied
    // A value is of the kind that the table gives its key: the compiler can't follow that through a loop.
    return value === undefined ? [] : [{ name, kind, value } as HeldPolicy]
  })
}
