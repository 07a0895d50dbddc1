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

/** One of each parity. The digests are below the order of the curve. Above it the two derive their nonces differently, and both are right. */
export const knownSignatures: readonly KnownSignature[] = [
  {
    digest: `0x${'0'.repeat(64)}`,
    r: '0xe091a7ad7f6f7e7d95ed92dec060aed74cd95cfc73c1af9d736ac21b55352e6a',
    s: '0x721889335437c74f6c59b1cbd8565c7e044b36e1d6c4812d96deb2272507d2cb',
    yParity: 0,
  },
  {
    digest: `0x${'2'.repeat(64)}`,
    r: '0xa1871088213b811346ba9bc4783135c727f89d2d7a1460539c0741cdcd63f75d',
    s: '0x3ea7a653ed70f00ea8fc5258740e07b1088319885b135035d355711c88bda4f8',
    yParity: 1,
  },
]
