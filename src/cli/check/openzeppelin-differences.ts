// What differs from OpenZeppelin Relayer for one folder and environment. docs/moving-from-openzeppelin.md lists the same, and a test
// compares the two.
import type { Config } from '../../config/config.ts'
import type { Finding } from './finding.ts'

interface Default {
  /** The variable, or the matter where none sets it. */
  readonly name: string
  readonly there: string
  readonly here: string
}

/** Variables of both services whose defaults differ. */
export const differentDefaults: readonly Default[] = [
  { name: 'HOST', there: '0.0.0.0', here: '127.0.0.1' },
  { name: 'METRICS_ENABLED', there: 'false', here: 'true' },
]

type Env = Readonly<Record<string, string | undefined>>

/** `config` is absent where it could not be read. `env`: of the process and of the folder's `.env`. */
export function differencesOf(config: Config | undefined, env: Env): readonly Finding[] {
  const unset = differentDefaults.filter(({ name }) => (env[name] ?? '') === '')
  return [
    ...unset.map(({ name, there, here }) =>
      difference(name, `is not set: ${here} here, ${there} there; set it where that matters`),
    ),
    ...(config ? [difference('storage', storageOf(config))] : []),
    difference(
      'history',
      'transactions of the other service are not taken over; ended ones stay here until `retention` says otherwise',
    ),
    ...(config ? differencesWithin(config) : []),
    difference('metrics', 'all names differ and begin with rescind_: dashboards and alerts need those in deploy/'),
  ]
}

function differencesWithin({ relayers, notifications }: Config): readonly Finding[] {
  return [
    ...relayers.flatMap(({ id, policies }) => [
      ...(policies.whitelistReceivers?.length === 0
        ? [difference(`relayer ${id}`, 'whitelist_receivers is empty: nobody may receive here, anybody may there')]
        : []),
    ]),
    ...notifications
      .slice(0, 1)
      .map(() =>
        difference(
          'webhooks',
          '`speed` is an object, and there are events and headers beside those of there: answer unknown ones with 200',
        ),
      ),
  ]
}

function storageOf({ database }: Pick<Config, 'database'>): string {
  return database.kind === 'postgres'
    ? 'the PostgreSQL database of DATABASE_URL, in place of memory or Redis'
    : `the SQLite file ${database.path}, in place of memory or Redis: keep its folder across deployments`
}

function difference(check: string, text: string): Finding {
  return { level: 'warning', place: 'differs', check, text }
}
