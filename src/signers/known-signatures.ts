// Signatures of a test key as viem makes them, on record: to compute them at each start costs more than the rest of the check.
import type { Hash, Hex } from '../domain/ids.ts'

/** The example key of EIP-155. */
export const knownKey: Hex = `0x${'4646'.repeat(16)}`

/** 65 bytes, uncompressed. */
export const knownPublicKey: Hex =
  '0x044bc2a31265153f07e70e0bab08724e6b85e217f8cd628ceb62974247bb493382ce28cab79ad7119ee1ad3ebcdb98a16805211530ecc6cfefa1b88e6dff99232a'

interface KnownSignature {
  readonly digest: Hash
  readonly r: Hex
  readonly s: Hex
  readonly yParity: 0 | 1
}

/** The digests are below the order of the curve. Above it the two derive their nonces differently, and both are right. */
export const knownSignatures: readonly KnownSignature[] = [
  {
    digest: `0x${'0'.repeat(64)}`,
    r: '0xe091a7ad7f6f7e7d95ed92dec060aed74cd95cfc73c1af9d736ac21b55352e6a',
    s: '0x721889335437c74f6c59b1cbd8565c7e044b36e1d6c4812d96deb2272507d2cb',
    yParity: 0,
  },
  {
    digest: `0x${'1'.repeat(64)}`,
    r: '0xe3df7a4a2f604890fb8e94a656ebcd1491b9f230816eddc045f9748849e027f6',
    s: '0x09e1a452b0d558c5f4ecc0baffefd887b5fe217879a73523165795ceeec5198f',
    yParity: 0,
  },
  {
    digest: `0x${'2'.repeat(64)}`,
    r: '0xa1871088213b811346ba9bc4783135c727f89d2d7a1460539c0741cdcd63f75d',
    s: '0x3ea7a653ed70f00ea8fc5258740e07b1088319885b135035d355711c88bda4f8',
    yParity: 1,
  },
  {
    digest: `0x${'7'.repeat(64)}`,
    r: '0xec60f90ba4e0b91c30baf9813b8eddad6c0a058124cd05d788ea9f90e5f2d4f2',
    s: '0x3a4fd13d3107f513f8f8480979688b7ee9756b6dae6192d8dfa16627581b1e3b',
    yParity: 0,
  },
  {
    digest: `0x${'d'.repeat(64)}`,
    r: '0xce473ab3757138066dd93fa235a192edfd5ca916f63c1522d7bc78140a9a6885',
    s: '0x1b26d0c663a33a5f8e4c568508ea34919eb6c2c07ee6d84e4cee3e31b57ecc1d',
    yParity: 1,
  },
  {
    digest: `0x${'e'.repeat(64)}`,
    r: '0xd3ad8ee17b46ea63293ca380b4aa00635c095adbc5eb261c6f84eb471631d592',
    s: '0x0104491ac104aa35dad99f5abe4ce8c7dcc6238437c70198164418d8240d2f79',
    yParity: 1,
  },
]
