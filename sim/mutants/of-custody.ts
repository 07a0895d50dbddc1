// Mutants of the needs of key services before they sign: tokens, clients, logins, activities, a clock that is right.
import type { Mutant } from './mutant.ts'

const keepToken = { file: 'src/signers/keep-token.ts', caughtBy: 'test/signers/keep-token.test.ts' }
const remote = 'test/signers/remote/remote-signer.test.ts'
const openRemote = 'src/signers/remote/open-remote-signer.ts'
const failureRows = 'src/signers/failure-table.ts'
const proxies = 'test/signers/proxies.test.ts'
const aws = 'test/signers/key-services/aws-kms.test.ts'

export const ofCustody: readonly Mutant[] = [
  {
    name: 'renew-for-each-caller',
    breaks: 'requests a token for each call that lacks one',
    caughtBy: keepToken.caughtBy,
    expects: 'callers of one moment share one renewal',
    edits: [{ file: keepToken.file, find: 'renewing ??= renew()', put: 'renewing = renew()' }],
  },
  {
    name: 'renew-when-it-has-ended',
    breaks: 'begins to renew a token only once it has ended',
    caughtBy: keepToken.caughtBy,
    expects: 'is renewed ahead of its end',
    edits: [{ file: keepToken.file, find: 'Math.min(aheadMs, lifeMs / 2)', put: '0' }],
  },
  {
    name: 'forget-anybodys-token',
    breaks: 'forgets a new token because an older one was refused',
    caughtBy: keepToken.caughtBy,
    expects: 'only the current token can be refused',
    edits: [{ file: keepToken.file, find: 'if (known?.token !== token) return false', put: '' }],
  },
  {
    name: 'a-renewal-without-a-limit',
    breaks: 'waits for a token endpoint that never answers',
    caughtBy: keepToken.caughtBy,
    expects: 'a renewal that never answers has a limit of its own',
    edits: [{ file: keepToken.file, find: 'const renewalMs = 15_000', put: 'const renewalMs = 15_000_000' }],
  },
  {
    name: 'a-late-token-is-a-failure',
    breaks: 'stops calling a key service because a token is still on its way',
    caughtBy: remote,
    expects: 'a token that does not come before the deadline does not open the breaker',
    edits: [
      {
        file: 'src/signers/remote/call-key.ts',
        find: "return kind === 'transient' || kind === 'permanent'",
        put: "return kind !== 'throttled' && kind !== 'approval'",
      },
    ],
  },
  {
    name: 'a-wait-for-a-new-token-is-a-failure',
    breaks: 'stops calling a key service because its new token takes longer than a call',
    caughtBy: remote,
    expects: 'calls that wait for a token which was refused are no failures of the',
    edits: [
      {
        file: 'src/signers/remote/call-key.ts',
        find: '    if (service.awaitsToken?.()) throw tokenPending()\n',
        put: '',
      },
    ],
  },
  {
    name: 'compare-only-the-machines-clock',
    breaks: 'takes a clock that was set right for a wrong secret',
    caughtBy: 'test/signers/key-services/custody.test.ts',
    expects: 'it is corrected, also while the signer opens, and the log says so',
    edits: [
      {
        file: 'src/signers/aws-kms.ts',
        find: '!(Math.abs(requested - at) > clockDiffersMs)',
        put: '!(Math.abs(now - at) > clockDiffersMs)',
      },
    ],
  },
  {
    name: 'an-approval-stops-the-signer',
    breaks: 'signs nothing while people have to approve one signature',
    caughtBy: remote,
    expects: 'a signature that people have to approve fails at once with its',
    edits: [
      {
        file: 'src/signers/remote/call-key.ts',
        find: "return kind === 'transient' || kind === 'permanent'",
        put: "return kind !== 'throttled' && kind !== 'pending'",
      },
    ],
  },
  {
    name: 'rest-after-a-call-that-hangs',
    breaks: 'adds the pause of a key service that fails to the time that its call took',
    caughtBy: 'test/signers/remote/quota.test.ts',
    expects: 'the pause after a trial begins with it, so that one that hangs',
    edits: [
      {
        file: 'src/signers/remote/breaker.ts',
        find: 'Math.max(leastMs, fullMs - tookMs)',
        put: 'Math.max(leastMs, fullMs)',
      },
    ],
  },
  {
    name: 'request-a-signature-after-five-seconds',
    breaks: 'requests a signature that failed often so late that a cancellation rests for seconds after the recovery',
    caughtBy: 'test/engine/remote-signer.test.ts',
    expects: 'after many failures a signature is requested again within a second',
    edits: [
      {
        file: 'src/engine/signatures-under-way.ts',
        find: 'const retryLongestMs = 750',
        put: 'const retryLongestMs = 5_000',
      },
    ],
  },
  {
    name: 'wait-for-a-deleted-activity',
    breaks: 'reads an activity for good that Turnkey has deleted',
    caughtBy: 'test/signers/key-services/turnkey.test.ts',
    expects: 'the next try submits another',
    edits: [{ file: 'src/signers/turnkey.ts', find: 'error.status === 404) ', put: 'error.status === 0) ' }],
  },
  {
    name: 'rest-for-a-minute',
    breaks: 'tries a key service that was out only once a minute',
    caughtBy: remote,
    expects: 'after a long outage the next try comes within two seconds',
    edits: [
      {
        file: 'src/signers/remote/breaker.ts',
        find: 'const transientLongestMs = 2_000',
        put: 'const transientLongestMs = 60_000',
      },
    ],
  },
  {
    name: 'no-patience-at-start',
    breaks: 'ends the start because a login failed for a moment',
    caughtBy: remote,
    expects: 'a start without a stored address waits some seconds for the service',
    edits: [
      {
        file: 'src/signers/remote/open-remote-signer.ts',
        find: 'await (expected ? pin() : pinPatiently(pin, clock))',
        put: 'await pin()',
      },
    ],
  },
  {
    name: 'take-the-service-down-with-a-key',
    breaks: 'ends the start because the key service of a signer that has worked refuses it',
    caughtBy: remote,
    expects: 'AccessDeniedException leaves a signer that relayers are stored with',
    edits: [
      {
        file: 'src/signers/remote/open-remote-signer.ts',
        find: 'settings.wasOpen || (stored !== undefined && !ofKeyItself.includes(error.code))',
        put: 'settings.wasOpen',
      },
    ],
  },
  {
    name: 'another-key-is-an-outage',
    breaks: 'starts although the key of a signer is of another curve than before',
    caughtBy: remote,
    expects: 'another address than the stored one stops the start',
    edits: [
      {
        file: 'src/signers/remote/open-remote-signer.ts',
        find: '(stored !== undefined && !ofKeyItself.includes(error.code))',
        put: 'stored !== undefined',
      },
    ],
  },
  {
    name: 'never-try-an-awaited-signer',
    breaks: 'leaves a signer without an address out until a restart, although its key service answers again',
    caughtBy: remote,
    expects: 'a signer without a known address opens when its service answers',
    edits: [{ file: openRemote, find: 'return signerOf((await pin()).address)', put: 'return undefined' }],
  },
  {
    name: 'ignore-what-a-replica-pinned',
    breaks: 'keeps a signer out although another replica has stored its address',
    caughtBy: remote,
    expects: 'a signer that another replica has stored opens while its service does',
    edits: [{ file: openRemote, find: 'if (stored) return signerOf(stored)', put: '' }],
  },
  {
    name: 'forget-a-key-that-was-read',
    breaks: 'awaits a signer whose public key it has read',
    caughtBy: remote,
    expects: 'a signer whose key was read, and whose first signature fails for a',
    edits: [{ file: openRemote, find: '    expected = address\n', put: '' }],
  },
  {
    name: 'pause-a-relayer-that-waits-for-its-key',
    breaks: 'pauses a stored relayer of the file because its new signer has not opened',
    caughtBy: 'test/commands/relayers/sync-configured-relayers.test.ts',
    expects: 'one whose signer has not opened stays as it is stored, and is stored',
    edits: [
      {
        file: 'src/commands/relayers/sync-configured-relayers.ts',
        find: '[...configured, ...awaited].some',
        put: 'configured.some',
      },
    ],
  },
  {
    name: 'two-relayers-of-one-late-account',
    breaks: 'stores two relayers of one account if their signer opens after the start',
    caughtBy: 'test/registry/await-signers.test.ts',
    expects: 'a relayer whose account another has stays out, with the reason',
    edits: [{ file: 'src/compose-signers.ts', find: '    refuseSharedAddresses(file.relayers)\n', put: '' }],
  },
  {
    name: 'send-from-an-unknown-account',
    breaks: 'stores sends of a relayer whose file gives it a signer that has not opened',
    caughtBy: 'test/registry/await-signers.test.ts',
    expects: 'sends of a relayer whose new signer has not opened are refused',
    edits: [{ file: 'src/commands/transactions/submit.ts', find: '  refuseAwaited(context, relayerId)\n', put: '' }],
  },
  {
    name: 'a-token-that-ended-needs-a-person',
    breaks: 'waits for a person where a new token of Azure would do',
    caughtBy: 'test/signers/key-services/azure-key-vault.test.ts',
    expects: 'signs with the managed identity of App Service',
    edits: [
      {
        file: failureRows,
        find: "{ of: 'azure_key_vault', codes: ['HTTP 401'], kind: 'renewed'",
        put: "{ of: 'azure_key_vault', codes: ['HTTP 401'], kind: 'permanent'",
      },
    ],
  },
  {
    name: 'a-standby-needs-a-person',
    breaks: 'waits for a person where a stand-by redirects',
    caughtBy: 'test/signers/failure-table.test.ts',
    expects: 'https answers 307: transient',
    edits: [{ file: failureRows, find: "'HTTP 408', 'HTTP 5xx', 'HTTP 3xx'", put: "'HTTP 408', 'HTTP 5xx'" }],
  },
  {
    name: 'try-a-pin-that-may-lock',
    breaks: 'tries a PIN again whose next failure locks the token',
    caughtBy: 'test/signers/failure-table.test.ts',
    expects: 'a refused PIN, and a login that may have been refused, are tried',
    edits: [
      {
        file: failureRows,
        find: "codes: ['PIN_FINAL_TRY', 'LOGIN_UNANSWERED'], kind: 'once'",
        put: "codes: ['PIN_FINAL_TRY', 'LOGIN_UNANSWERED'], kind: 'permanent'",
      },
    ],
  },
  {
    name: 'probe-what-a-person-approves',
    breaks: 'lets people approve the signature of a probe',
    caughtBy: remote,
    expects: 'a probe signs as the opening did, and shows how long it took, the end',
    edits: [{ file: openRemote, find: 'const probing = service.canProbe && {', put: 'const probing = {' }],
  },
  {
    name: 'a-clock-by-no-date',
    breaks: 'shows the offset of the clock by an answer without a date',
    caughtBy: keepToken.caughtBy,
    expects: 'the offset of the clock is that of the last answer with a date',
    edits: [{ file: 'src/signers/note-dates.ts', find: 'if (Number.isFinite(at)) aheadMs', put: 'aheadMs' }],
  },
  {
    name: 'keep-a-refused-token',
    breaks: 'uses a token for good that the key service has refused',
    caughtBy: keepToken.caughtBy,
    expects: 'only the current token can be refused',
    edits: [{ file: keepToken.file, find: '      known = undefined\n      return true', put: '      return true' }],
  },
  {
    name: 'give-up-after-a-refusal',
    breaks: 'never tries a key again that once waited for a person',
    with: ['custody'],
    expects: 'has stood still',
    edits: [
      {
        file: 'src/signers/remote/breaker.ts',
        find: 'const permanentMs = 15_000',
        put: 'const permanentMs = 15_000_000_000',
      },
      {
        file: 'src/signers/remote/breaker.ts',
        find: 'const permanentLongestMs = 60_000',
        put: 'const permanentLongestMs = 60_000_000_000',
      },
    ],
  },
  {
    name: 'a-wrong-secret-is-a-wrong-clock',
    breaks: 'goes on to try a secret that AWS refuses',
    caughtBy: aws,
    expects: 'the fake refuses a wrong secret, which is permanent and is not shown',
    edits: [
      {
        file: 'src/signers/aws-kms.ts',
        find: 'if (!(Math.abs(requested - at) > clockDiffersMs))',
        put: 'if (Number.isNaN(requested))',
      },
    ],
  },
  {
    name: 'end-a-client-in-use',
    breaks: 'ends the client of other calls when the credentials of one have ended',
    caughtBy: aws,
    expects: 'fifty calls whose token ends meanwhile are all signed',
    edits: [{ file: 'src/signers/aws-kms.ts', find: 'if (current.calls === 0) current', put: 'current' }],
  },
  {
    name: 'quote-credentials',
    breaks: 'shows the credentials that a text of AWS quotes',
    caughtBy: aws,
    expects: 'a text of AWS that quotes credentials is shown without them',
    edits: [{ file: 'src/signers/aws-kms.ts', find: 'withoutCredentials(error.message)', put: 'error.message' }],
  },
  {
    name: 'submit-an-activity-again',
    breaks: 'submits another activity for a digest whose first one is under way',
    caughtBy: 'test/signers/key-services/turnkey.test.ts',
    expects: 'is continued by the next, and never submitted twice',
    edits: [
      { file: 'src/signers/turnkey.ts', find: 'const known = underWay.get(digest)', put: 'const known = undefined' },
    ],
  },
  {
    name: 'log-in-for-each-read',
    breaks: 'uses a login of Vault for one read only',
    caughtBy: 'test/signers/key-services/vault-key.test.ts',
    expects: 'a login whose read fails is used again',
    edits: [
      {
        file: 'src/signers/vault-key.ts',
        find: 'if (session && access.clock.elapsed() < session.endsAt) return session.token',
        put: '',
      },
    ],
  },
  {
    name: 'metadata-through-a-proxy',
    breaks: "sends the requests for a machine's own tokens to a proxy",
    caughtBy: proxies,
    expects: '169.254.169.254 is never reached through a proxy',
    edits: [{ file: 'src/signers/proxies.ts', find: "neverAddresses.addSubnet('169.254.0.0', 16)", put: '' }],
  },
  {
    name: 'google-metadata-through-a-proxy',
    breaks: "lets Google's library request its tokens through a proxy",
    caughtBy: proxies,
    expects: "Google's library reaches the metadata service directly, whatever the",
    edits: [{ file: 'src/signers/google-cloud-kms.ts', find: '    keepMetadataDirect(sdk)\n', put: '' }],
  },
]
