// The service as it would be if a setting, or a key with small rights, reached further than it says.
import type { Mutant } from './mutant.ts'

export const ofSmallRights: readonly Mutant[] = [
  {
    name: 'empty-list-of-receivers-for-anybody',
    breaks: 'takes an empty whitelist_receivers for none, as a template that lost its variable leaves it',
    caughtBy: 'test/domain/forbid.test.ts',
    expects: 'nobody may, where the list is empty',
    edits: [
      {
        file: 'src/domain/forbid.ts',
        find: 'if (whitelistReceivers === undefined) return undefined',
        put: 'if (whitelistReceivers === undefined || whitelistReceivers.length === 0) return undefined',
      },
    ],
  },
  {
    name: 'drop-an-empty-list',
    breaks: 'reads an empty whitelist_receivers of the file as if it were not there',
    caughtBy: 'test/config/load-config.test.ts',
    expects: 'an empty list of receivers means nobody, and says so',
    edits: [
      {
        file: 'src/config/parse-policies.ts',
        find: 'return parseReceivers(name, policy.emptyMeans, members, report)',
        put: 'return parseReceivers(name, policy.emptyMeans, members, report).length > 0 ? parseReceivers(name, policy.emptyMeans, members, report) : undefined',
      },
    ],
  },
  {
    name: 'own-address-with-data',
    breaks: "lets sends beside a list call the code of the relayer's own account",
    caughtBy: 'test/domain/forbid.test.ts',
    expects: 'with empty data only',
    edits: [
      {
        file: 'src/domain/forbid.ts',
        find: 'if (isEmpty(data)) return undefined',
        put: 'if (isEmpty(data) || data.length > 0) return undefined',
      },
    ],
  },
  {
    name: 'no-own-address',
    breaks: "refuses a send of nothing to the relayer's own address beside a list",
    caughtBy: 'test/domain/forbid.test.ts',
    expects: 'with empty data only',
    edits: [{ file: 'src/domain/forbid.ts', find: 'if (same(address, to)) {', put: "if (to === '0x') {" }],
  },
  {
    name: 'no-selectors-for-every-call',
    breaks: 'accepts an empty whitelist_selectors, which limits nothing',
    caughtBy: 'test/config/refused-config.test.ts',
    expects: 'no selectors',
    edits: [
      {
        file: 'src/config/parse-whitelists.ts',
        find: 'if (Object.keys(raw).length === 0) {',
        put: 'if (Object.keys(raw).length < 0) {',
      },
    ],
  },
  {
    name: 'null-for-no-limit',
    breaks: 'takes null among the policies of the file for an absent limit',
    caughtBy: 'test/config/refused-config.test.ts',
    expects: 'of null',
    edits: [
      {
        file: 'src/config/parse-policies.ts',
        find: '(each) => members.raw(each) === null',
        put: "(each) => members.raw(each) === null && each === ''",
      },
    ],
  },
  {
    name: 'empty-variable-for-the-widest',
    breaks: 'takes an empty variable for one that is not set, where the default is the widest value',
    caughtBy: 'test/config/refused-config.test.ts',
    expects: 'of nothing',
    edits: [
      {
        file: 'src/config/environment.ts',
        find: 'if (value === undefined && env[name] !== undefined) {',
        put: 'if (value === undefined && env[name] === name) {',
      },
    ],
  },
  {
    name: 'webhooks-to-the-wire-server',
    breaks: "lets webhooks reach Azure's wire server",
    caughtBy: 'test/ops/guard-addresses.unit.test.ts',
    expects: '168.63.129.16 is refused',
    edits: [{ file: 'src/ops/guard-addresses.ts', find: "'168.63.129.16/32',", put: "'168.63.129.255/32'," }],
  },
  {
    name: 'webhooks-over-isatap',
    breaks: 'lets webhooks reach an internal address inside an ISATAP address',
    caughtBy: 'test/ops/guard-addresses.unit.test.ts',
    expects: '5efe:7f00:1] is refused',
    edits: [
      {
        file: 'src/ops/guard-addresses.ts',
        find: 'if (inside !== undefined && !mayReach(inside)) return false',
        put: "if (inside === '' && !mayReach(inside)) return false",
      },
    ],
  },
  {
    name: 'tell-a-bound-key-of-others',
    breaks: 'sends a bound key a line of positions for events of other relayers',
    caughtBy: 'test/http/events/view-events.unit.test.ts',
    expects: 'a bound key moves with events of its relayers alone',
    edits: [
      {
        file: 'src/http/events/view-events.ts',
        find: 'if (principal && !principal.relayers) {',
        put: 'if (principal) {',
      },
    ],
  },
  {
    name: 'the-same-text-for-a-position',
    breaks: 'seals a position the same way each time, so that a bound key sees whether it moved',
    caughtBy: 'test/http/events/view-events.unit.test.ts',
    expects: 'a sealed id is opened by every process with the secret',
    edits: [
      {
        file: 'src/http/events/seal-ids.ts',
        find: 'seal(id, ofPosition, random.bytes(8))',
        put: 'seal(id, ofPosition, random.bytes(8).fill(0))',
      },
    ],
  },
  {
    name: 'heartbeat-by-others',
    breaks: 'puts off the heartbeat of a stream with each event that its reader does not see',
    caughtBy: 'test/http/events/bound-keys.test.ts',
    expects: 'with detail=full, the events of others cause no line',
    edits: [
      {
        file: 'src/http/events/stream-events.ts',
        find: '      position = through\n',
        put: '      ;[position, aliveAt] = [through, clock.elapsed() + heartbeatMs]\n',
      },
    ],
  },
  {
    name: 'count-events-for-a-bound-key',
    breaks: 'accepts the number of any event from a bound key, which so learns the newest one',
    caughtBy: 'test/http/events/view-events.unit.test.ts',
    expects: 'a bound key resumes at its own events',
    edits: [
      {
        file: 'src/http/events/resume-events.ts',
        find: 'return isSame && subjectsOf(event).some(sees) ? undefined : unknown',
        put: 'return isSame && (subjectsOf(event).some(sees) || id > 0) ? undefined : unknown',
      },
    ],
  },
  {
    name: 'puts-of-refused-payloads',
    breaks: 'lets a key replace what it sent by payloads that every node refuses, each for the price of a no-op',
    caughtBy: 'test/commands/commands.test.ts',
    expects: 'a key whose sends every node refused',
    edits: [
      {
        file: 'src/commands/transactions/replace.ts',
        find: 'if (replacer) await limitGiveUps(',
        put: 'if (replacer && now < 0) await limitGiveUps(',
      },
    ],
  },
  {
    name: 'any-number-of-waits',
    breaks: 'lets one key wait for as many verdicts as it likes',
    caughtBy: 'test/http/transactions/wait.test.ts',
    expects: 'a key has 64 waits at once',
    edits: [
      {
        file: 'src/http/transactions/cancel.ts',
        find: 'openPlaces(waitsPerKeyMax)',
        put: 'openPlaces(waitsPerKeyMax * 1_000_000_000)',
      },
    ],
  },
  {
    name: 'a-wait-takes-its-place-for-ever',
    breaks: 'counts waits that have ended, so that a key soon has none',
    caughtBy: 'test/http/transactions/wait.test.ts',
    expects: 'a key has 64 waits at once',
    edits: [{ file: 'src/http/transactions/cancel.ts', find: '.finally(leave)', put: '.finally(() => undefined)' }],
  },
]
