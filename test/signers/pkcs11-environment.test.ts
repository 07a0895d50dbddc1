// What the library of an HSM gets of the service's environment.
import { afterEach, expect, test, vi } from 'vitest'
import { withoutSecrets } from '../../src/signers/pkcs11-environment.ts'

afterEach(() => void vi.unstubAllEnvs())

test.each([
  ...['API_KEY', 'API_KEY_PREVIOUS', 'STORAGE_ENCRYPTION_KEY', 'STORAGE_ENCRYPTION_KEY_PREVIOUS', 'DATABASE_URL'],
  ...['HSM_PIN', 'PIN_OF_PAYOUTS', 'KEYSTORE_PASSPHRASE', 'VAULT_SECRET_ID', 'POSTGRES_PASSWORD'],
])('%s stays here', (name) => {
  vi.stubEnv(name, 'hidden')
  expect(withoutSecrets([])).not.toHaveProperty(name)
})

test('a PIN stays here under any name', () => {
  vi.stubEnv('HSM_USER', '246802')
  expect(withoutSecrets(['246802'])).not.toHaveProperty('HSM_USER')
})

test.each(['SOFTHSM2_CONF', 'ChrystokiConfigurationPath', 'CKNFAST_DEBUG', 'SPINNAKER', 'PATH'])(
  '%s is passed on',
  (name) => {
    vi.stubEnv(name, '/etc/hsm')
    expect(withoutSecrets(['246802'])).toHaveProperty(name, '/etc/hsm')
  },
)
