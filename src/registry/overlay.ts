// Changes through the API to a relayer that the file owns. They are stored apart, and laid over the file at each start.
import { type Policies, type PolicyKey, type PolicyValue, policiesBy, policyKeys } from '../domain/policy-table.ts'
import type { Relayer } from '../domain/relayer.ts'

/** Null removes a member. An absent member is as in the file. */
export interface RelayerOverlay {
  readonly name?: string
  readonly notificationId?: string | null
  readonly paused?: boolean
  readonly policies?: PolicyChanges
}

type PolicyChanges = Readonly<Partial<Record<PolicyKey, PolicyValue | null>>>

/** Keeps only the differences, so that a member patched back to the file's value follows the file again. */
export function overlayOf(file: Relayer, wanted: Relayer): RelayerOverlay {
  const policies = differences(file.policies, wanted.policies)
  return {
    ...(wanted.name !== file.name && { name: wanted.name }),
    ...(wanted.notificationId !== file.notificationId && { notificationId: wanted.notificationId ?? null }),
    ...(wanted.paused !== file.paused && { paused: wanted.paused }),
    ...(Object.keys(policies).length > 0 && { policies }),
  }
}

export function overlaid(file: Relayer, overlay: RelayerOverlay): Relayer {
  const { notificationId, ...rest } = file
  const notification = overlay.notificationId === undefined ? notificationId : (overlay.notificationId ?? undefined)
  const { policies = {} } = overlay
  return {
    ...rest,
    name: overlay.name ?? file.name,
    paused: overlay.paused ?? file.paused,
    ...(notification !== undefined && { notificationId: notification }),
    policies: policiesBy((_, key) =>
      Object.hasOwn(policies, key) ? (policies[key] ?? undefined) : file.policies[key],
    ),
  }
}

/** The members that an overlay covers, as the file names them: `policies.gasPriceCap`. */
export function coveredBy({ policies = {}, ...members }: RelayerOverlay): readonly string[] {
  return [...Object.keys(members), ...Object.keys(policies).map((name) => `policies.${name}`)]
}

function differences(from: Policies, to: Policies): PolicyChanges {
  const differing = policyKeys.filter((key) => encode(from[key]) !== encode(to[key]))
  return Object.fromEntries(differing.map((key) => [key, to[key] ?? null]))
}

/** JSON with marked amounts, so that they decode to amounts again. */
export function encode(value: unknown): string {
  return JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? { wei: String(each) } : each))
}

export function decode(text: string): unknown {
  return JSON.parse(text, (_, each) => (typeof each?.wei === 'string' ? BigInt(each.wei) : each))
}
