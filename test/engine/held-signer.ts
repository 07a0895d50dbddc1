// A remote signer that a test answers by hand: it signs correctly, when and if the test says so.
import type { SigningPriority } from '../../src/signers/signer.ts'
import { type Signer, SignerUnavailable } from '../../src/signers/signer.ts'

interface HeldRequest {
  readonly nonce: number
  readonly priority: SigningPriority
  sign(): void
  fail(): void
}

interface HeldSigner extends Signer {
  /** Not answered yet, in the order in which they came. */
  readonly held: readonly HeldRequest[]
  /** From now on each request is answered at once; or it fails at once. */
  mood: 'holds' | 'signs' | 'fails'
  /** Signs nothing, and says so. */
  isOut: boolean
}

export function heldSigner(inner: Signer, groupMax = 16): HeldSigner {
  let held: HeldRequest[] = []
  const failure = () => new SignerUnavailable('the key service does not answer', { code: 'Down', isPermanent: false })
  const signer: HeldSigner = {
    address: inner.address,
    get held() {
      return held
    },
    mood: 'holds',
    isOut: false,
    remote: {
      groupMax,
      isAvailable: () => !signer.isOut,
      outage: () => (signer.isOut ? { code: 'Disabled', isPermanent: true, retryAt: 0 } : undefined),
    },
    sign(unsigned, request) {
      if (signer.mood === 'signs') return inner.sign(unsigned, request)
      if (signer.mood === 'fails') return Promise.reject(failure())
      return new Promise((resolve, reject) => {
        const each: HeldRequest = {
          nonce: unsigned.nonce,
          priority: request.priority,
          sign() {
            held = held.filter((other) => other !== each)
            resolve(inner.sign(unsigned, request))
          },
          fail() {
            held = held.filter((other) => other !== each)
            reject(failure())
          },
        }
        held = [...held, each]
      })
    },
    signStatement: inner.signStatement,
  }
  return signer
}
