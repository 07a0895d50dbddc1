// Mutants of PKCS #11: tokens, PINs, sessions and lanes.
import type { Mutant } from './mutant.ts'

const pkcs11Token = 'test/signers/pkcs11-token.test.ts'

export const ofPkcs11: readonly Mutant[] = [
  {
    name: 'only-the-private-object',
    breaks: 'takes the curve of a key from its private object alone',
    caughtBy: pkcs11Token,
    expects: 'a private object without CKA_EC_PARAMS: the public one shows the',
    edits: [
      {
        file: 'src/signers/pkcs11-token.ts',
        find: 'isSecp256k1(ownParams) ?? isSecp256k1(publicParams)',
        put: 'isSecp256k1(ownParams) ?? false',
      },
    ],
  },
  {
    name: 'end-only-the-session',
    breaks: 'opens session after session of a library that is dead until it is ended',
    caughtBy: pkcs11Token,
    expects: 'a session that stays dead: first the login ends, then the library,',
    edits: [
      {
        file: 'src/signers/pkcs11-token.ts',
        find: 'const isStubborn = token.failures > 1 && (!others || token.failures % 4 === 2)',
        put: 'const isStubborn = false && others',
      },
    ],
  },
  {
    name: 'end-the-library-of-others',
    breaks: 'ends a library at each failure of one token, and so the sessions of its other tokens',
    caughtBy: pkcs11Token,
    expects: 'a library whose other token signs is ended at the second failure, and',
    edits: [
      { file: 'src/signers/pkcs11-token.ts', find: '(!others || token.failures % 4 === 2)', put: '(others || true)' },
    ],
  },
  {
    name: 'an-unanswered-login-is-none',
    breaks: 'tries a PIN again although nobody knows whether the token counted it as wrong',
    caughtBy: 'test/signers/pkcs11-pins.test.ts',
    expects: 'a login that nobody answered counts as refused',
    edits: [{ file: 'src/signers/pkcs11-pins.ts', find: 'if (!underWay) return', put: 'return' }],
  },
  {
    name: 'more-lanes-for-nothing',
    breaks: 'sends more signatures at once to a token that signs one after the other',
    caughtBy: 'test/signers/pkcs11-lanes.test.ts',
    expects: 'a token that signs one after the other keeps one lane, and is tried',
    edits: [{ file: 'src/signers/pkcs11-lanes.ts', find: 'rate < lanes.rateBefore * worthwhile', put: 'rate < 0' }],
  },
  {
    name: 'take-one-signature-for-all',
    breaks: 'judges the lanes of a token by the mean time of its signatures, so that a fast one keeps it at one lane',
    caughtBy: 'test/signers/pkcs11-lanes.test.ts',
    expects: 'one signature that took no time, or that took long, changes nothing',
    edits: [
      {
        file: 'src/signers/pkcs11-lanes.ts',
        find: 'sample.toSorted((one, other) => one - other)[count] ?? tookMs',
        put: 'sample.reduce((sum, ms) => sum + ms, 0) / sample.length',
      },
    ],
  },
  {
    name: 'keep-the-lanes-of-a-slow-token',
    breaks: 'requests as many signatures at once of a token that has become slow, until all run out of time',
    caughtBy: 'test/signers/pkcs11-lanes.test.ts',
    expects: 'a token that becomes so slow that tries run out of time gets half of',
    edits: [{ file: 'src/signers/pkcs11-lanes.ts', find: 'tookMs > tooSlowMs && ', put: 'tookMs < 0 && ' }],
  },
  {
    name: 'an-environment-with-secrets',
    breaks: "passes the service's secrets on to the library of an HSM",
    caughtBy: 'test/signers/pkcs11-environment.test.ts',
    expects: 'API_KEY stays here',
    edits: [
      {
        file: 'src/signers/pkcs11-environment.ts',
        find: '!secretNames.test(name) && ',
        put: '',
      },
    ],
  },
]
