// A process that signs with a PKCS#11 library until it is killed.
import { systemClock } from '../../../../src/ops/clock.ts'
import { secret } from '../../../../src/ops/secret.ts'
import { openPkcs11 } from '../../../../src/signers/pkcs11.ts'
import { someDigest, unaborted } from '../../../signers/key-services/support.ts'

// An open channel keeps it from ending: the library's process does not.
process.on('message', () => undefined)

const { MODULE: module = '', PIN: pin = '' }: { readonly MODULE?: string; readonly PIN?: string } = process.env
const settings = { module, tokenLabel: 'relayers', pin: secret(pin), keyLabel: 'payouts' }
const service = await openPkcs11({ id: 'hsm', type: 'pkcs11', ...settings }, { clock: systemClock })
await service.open(unaborted)
await service.sign(someDigest, unaborted)
