// The stand-in for Vault, checked with a client that others wrote: Python's hvac, from Debian.
import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startFakeVault } from '../../../tooling/key-services/fake-vault.ts'
import { isSkipped } from '../../support/is-skipped.ts'

const python = '/usr/bin/python3'

function whyNoClient(): string | undefined {
  try {
    execFileSync(python, ['-c', 'import hvac'], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'hvac is not installed; run: apt-get install python3-hvac'
  }
}

const missing = whyNoClient()

const script = `
import hvac, json, sys
client = hvac.Client(url=sys.argv[1])
login = client.auth_approle if hasattr(client, 'auth_approle') else client.auth.approle.login
try:
    login('role-1', 'wrong')
    sys.exit('a wrong secret id was accepted')
except hvac.exceptions.InvalidRequest:
    pass
login('role-1', 'secret-1')
read = client.secrets.kv.v2.read_secret_version(path='payouts', mount_point='keys')
print(json.dumps([read['data']['data']['value'], read['data']['metadata']['version']]))
`

test.skipIf(isSkipped(missing !== undefined))(
  `a client of Vault logs in and reads a key ${missing ?? ''}`,
  async () => {
    await using fake = await startFakeVault()
    fake.roles.set('role-1', 'secret-1')
    fake.secrets.set('keys/payouts', { version: 7, data: { value: '0x12' } })
    const { stdout } = await promisify(execFile)(python, ['-c', script, fake.url])
    expect(JSON.parse(stdout)).toEqual(['0x12', 7])
  },
)
