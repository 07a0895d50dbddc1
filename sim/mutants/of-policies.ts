// The engine as it would be if it followed a rule of the operator or of the client less, or a right reached further than it says.
import type { Mutant } from './mutant.ts'

export const ofPolicies: readonly Mutant[] = [
  {
    name: 'first-price-over-the-cap',
    breaks: 'does not look at gas_price_cap when a send gets its nonce',
    expects: ', and gas_price_cap is',
    edits: [
      {
        file: 'src/domain/decide/terms/first-price.ts',
        find: 'return firstFees(pricing, market, policy.eip1559 && eip1559Pricing, gasPriceCap ?? ceiling)',
        put: 'return firstFees(pricing, market, policy.eip1559 && eip1559Pricing, ceiling)',
      },
    ],
  },
  {
    name: 'bump-over-the-cap',
    breaks: 'does not look at gas_price_cap when a send is priced anew',
    expects: ', and gas_price_cap is',
    edits: [
      {
        file: 'src/domain/decide/terms/contender.ts',
        find: ": { name: 'gas_price_cap', cap: gasPriceCap }",
        put: ": { name: 'gas_price_cap', cap: gasPriceCap && gasPriceCap * 100n }",
      },
    ],
  },
  {
    name: 'replacement-over-the-cap',
    breaks: 'does not look at gas_price_cap when a PUT takes a nonce over',
    caughtBy: 'test/domain/replace.test.ts',
    expects: 'fees of its own wait where gas_price_cap was lowered',
    edits: [
      {
        file: 'src/domain/decide/terms/contender.ts',
        find: "wants: 'replacement', own: []",
        put: "wants: 'replacement', own: [], limit: { name: 'gas_price_cap', cap: undefined }",
      },
    ],
  },
  {
    name: 'gap-filler-over-its-cap',
    breaks: 'does not look at cancel_gas_price_cap when a gap is filled',
    caughtBy: 'test/domain/decide/decide.test.ts',
    expects: 'is paid for within cancel_gas_price_cap',
    edits: [
      {
        file: 'src/domain/decide/rules/gap-fillers.ts',
        find: "const most = relayer.policies.cancelGasPriceCap ?? priceCeiling(market, 'fast', 'noOp', policy.profile)",
        put: "const most = priceCeiling(market, 'fast', 'noOp', policy.profile)",
      },
    ],
  },
  {
    name: 'no-op-over-its-cap',
    breaks: 'does not look at cancel_gas_price_cap when a cancellation is priced',
    expects: 'cancel_gas_price_cap is',
    edits: [
      {
        file: 'src/domain/decide/terms/contender.ts',
        find: 'cap: work.relayer.policies.cancelGasPriceCap',
        put: 'cap: work.relayer.policies.cancelGasPriceCap && undefined',
      },
    ],
  },
  {
    name: 'raise-what-the-client-named',
    breaks: "raises a price that a client named like the market's",
    expects: 'its client named',
    edits: [
      {
        file: 'src/domain/decide/race/advance.ts',
        find: "if (!named || why === 'gas') return bidAgain(",
        put: "if (!named || why !== 'unfunded') return bidAgain(",
      },
      {
        file: 'src/domain/decide/race/price.ts',
        find: 'if (named) return',
        put: "if (named && wants === 'replacement') return",
      },
    ],
  },
  {
    name: 'no-limit-in-flight',
    breaks: 'does not look at max_in_flight',
    caughtBy: 'test/domain/decide/window.test.ts',
    expects: 'a number in the configuration stays',
    edits: [
      {
        file: 'src/domain/decide/terms/window.ts',
        find: 'Math.min(inFlightMax - unspent.length,',
        put: 'Math.min(inFlightMax + 1 - unspent.length,',
      },
    ],
  },
  {
    name: 'room-beyond-twice-the-window',
    breaks: 'brings as many into flight as a false count makes room for',
    caughtBy: 'test/domain/decide/window.test.ts',
    expects: 'up to twice the window in flight',
    edits: [
      {
        file: 'src/domain/decide/terms/window.ts',
        find: '2 * inFlightMax - inFlight.length',
        put: '9 * inFlightMax - inFlight.length',
      },
    ],
  },
  {
    name: 'free-a-slot-twice',
    breaks: 'makes room for a spent nonce by the count, and again by its receipt',
    caughtBy: 'test/domain/decide/window.test.ts',
    expects: 'makes room once: its receipt makes no more',
    edits: [
      {
        file: 'src/domain/decide/terms/window.ts',
        find: 'Math.min(inFlightMax - unspent.length,',
        put: 'Math.min(inFlightMax - unspent.length + open.length - inFlight.length,',
      },
    ],
  },
  {
    name: 'go-on-while-paused',
    breaks: 'gives nonces to what waits while the relayer is paused',
    expects: 'while the relayer was paused',
    edits: [
      {
        file: 'src/domain/decide/rules/sweeps.ts',
        find: 'if (isPaused(work.relayer)) return []',
        put: '',
      },
    ],
  },
  {
    name: 'stop-races-while-paused',
    breaks: 'pauses cancellations with the relayer',
    expects: 'no honest pool has its no-op',
    edits: [
      {
        file: 'src/domain/decide/race/advance.ts',
        find: 'if (barred.length > 0 || !market) return barred',
        put: 'if (barred.length > 0 || !market || situation.work.relayer.paused) return barred',
      },
    ],
  },
  {
    name: 'take-sends-while-paused',
    breaks: 'accepts sends while the relayer is paused',
    expects: 'its payload was accepted while the relayer was paused',
    edits: [
      {
        file: 'src/domain/submit.ts',
        find: 'if (isPaused(relayer)) throw',
        put: "if (isPaused(relayer) && relayer.id === '') throw",
      },
    ],
  },
  {
    name: 'rules-of-before',
    breaks: 'signs what it decided under rules that were changed since',
    expects: 'while the relayer was paused',
    edits: [
      {
        file: 'src/engine/record.ts',
        find: 'if (decisions.some((each) => traits[each.do].followsRules)) await refuseOtherRules',
        put: 'if (decisions.length < 0) await refuseOtherRules',
      },
    ],
  },
  {
    name: 'keep-the-file-to-itself',
    breaks: 'starts with the rules of before, whatever the configuration says now',
    expects: 'no honest pool has its no-op',
    edits: [
      {
        file: 'src/commands/relayers/sync-configured-relayers.ts',
        find: 'if (differs(configured, stored) || orphans.some(({ paused }) => !paused)) {',
        put: 'if ((differs(configured, stored) && stored.length === 0) || orphans.some(({ paused }) => !paused)) {',
      },
    ],
  },
  {
    name: 'any-receiver',
    breaks: 'does not look at whitelist_receivers',
    expects: 'although whitelist_receivers forbids',
    edits: [
      {
        file: 'src/domain/forbid.ts',
        find: 'return forbiddenReceiver(relayer, payload) ?? forbiddenCall',
        put: 'return forbiddenCall',
      },
    ],
  },
  {
    name: 'replace-a-gap-filler',
    breaks: 'lets a client put its payload in a gap filler, which no bulk cancel and no gas price cap covers',
    caughtBy: 'test/domain/replace.test.ts',
    expects: 'a gap filler is the service’s own',
    edits: [
      {
        file: 'src/domain/refusals.ts',
        find: "if (transaction.origin === 'gap') {",
        put: "if (transaction.origin === 'gap' && transaction.sequence < 0) {",
      },
    ],
  },
  {
    name: 'forbid-at-the-door-only',
    breaks: 'does not look at its rules again before a payload gets a nonce',
    expects: 'although whitelist_receivers forbids',
    edits: [
      {
        file: 'src/domain/decide/queue/offer.ts',
        find: 'if (forbidden !== undefined) return',
        put: 'if (forbidden === work.relayer.id) return',
      },
    ],
  },
  {
    name: 'gas-of-a-transfer',
    breaks: 'ignores what a node estimated, and gives every payload the gas of a transfer',
    expects: 'were named or estimated',
    edits: [
      {
        file: 'src/domain/observation.ts',
        find: 'return Math.min(belowRefused(gas, bare, market), gasLimitMax)',
        put: 'return Math.min(belowRefused(21_000, bare, market), gasLimitMax)',
      },
    ],
  },
  {
    name: 'send-what-has-expired',
    breaks: 'does not look at valid_until while a payload waits for its nonce',
    expects: 'after its valid_until',
    edits: [
      {
        file: 'src/domain/decide/decide.ts',
        find: "isInPhase(transaction, 'queued') && !hasExpired(transaction, now)),",
        put: "isInPhase(transaction, 'queued')),",
      },
      {
        file: 'src/domain/decide/decide.ts',
        find: "isInPhase(transaction, 'queued', 'held') && hasExpired(transaction, now)",
        put: "isInPhase(transaction, 'queued', 'held') && work.relayer.id === ''",
      },
    ],
  },
  {
    name: 'pursue-what-has-expired',
    breaks: 'does not look at valid_until once a payload has its nonce',
    caughtBy: 'test/domain/decide/decide.test.ts',
    expects: 'whose time is over is canceled by that',
    edits: [
      {
        file: 'src/domain/decide/follow.ts',
        find: 'if (!transaction.cancellation && hasExpired(transaction, now)) return',
        put: 'if (!transaction.cancellation && transaction.sequence < 0) return',
      },
    ],
  },
  {
    name: 'creation-as-a-call',
    breaks: 'signs the creation of a contract as a call of the zero address',
    with: ['creations'],
    expects: 'its payload is not that of the send',
    edits: [
      {
        file: 'src/signers/sign-unsigned.ts',
        find: '...(unsigned.to && { to: lowerHex(unsigned.to) }),',
        put: "to: lowerHex(unsigned.to ?? `0x${'0'.repeat(40)}`),",
      },
    ],
  },
]
