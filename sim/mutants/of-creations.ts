// Mutants of transactions that create contracts.
import type { Mutant } from './mutant.ts'

export const ofCreations: readonly Mutant[] = [
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
  {
    name: 'creations-past-the-whitelist',
    breaks: 'lets a creation pass a relayer that may send to named receivers only',
    with: ['creations'],
    expects: 'although whitelist_receivers forbids',
    edits: [
      {
        file: 'src/domain/forbid.ts',
        find: 'if (whitelistReceivers === undefined) return undefined',
        put: 'if (whitelistReceivers === undefined || to === undefined) return undefined',
      },
      {
        file: 'src/domain/forbid.ts',
        find: `  if (to === undefined) {
    return 'to: is missing, and whitelist_receivers of the relayer can name no contract that is yet to be created; create it through another relayer'
  }
`,
        put: '',
      },
    ],
  },
]
