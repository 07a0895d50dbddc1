// The signers of the file: where each key comes from. Keys are opened later, see signers/.
import { resolve } from 'node:path'
import type { SignerConfig } from './config.ts'
import { type Members, readMembers, shown } from './members.ts'
import { type Environment, readReference } from './read-reference.ts'
import type { Report } from './report.ts'

export function parseSigners(file: Members, env: Environment, cwd: string, report: Report): readonly SignerConfig[] {
  const signers: SignerConfig[] = []
  for (const { value, place } of file.items('signers')) {
    const members = readMembers(value, place, ['id', 'type', 'config'], report)
    const id = members.requiredText('id')
    if (id !== '' && signers.some((signer) => signer.id === id)) {
      report.problem(members.place('id'), `"${id}" is defined twice; remove or rename one of the two`)
    }
    const signer = parseSigner(id, members, env, cwd, report)
    if (signer) signers.push(signer)
  }
  return signers
}

function parseSigner(
  id: string,
  signer: Members,
  env: Environment,
  cwd: string,
  report: Report,
): SignerConfig | undefined {
  const at = signer.place('config')
  const content = signer.raw('config')
  switch (signer.raw('type')) {
    case 'plain': {
      const key = readReference(readMembers(content, at, ['key'], report), 'key', env, report)
      if (key === undefined) return undefined
      if (!/^(0x)?[0-9a-fA-F]{64}$/.test(key.reveal())) {
        report.problem(
          `${at}.key`,
          'refers to a value that is no private key; give it 64 hexadecimal digits, with or without 0x',
        )
      }
      return { id, type: 'plain', key }
    }
    case 'local': {
      const members = readMembers(content, at, ['path', 'passphrase'], report)
      const path = members.requiredText('path')
      const passphrase = readReference(members, 'passphrase', env, report)
      return passphrase && { id, type: 'local', path: resolve(cwd, path), passphrase }
    }
    default: {
      const type = signer.raw('type')
      const fault = type === undefined ? 'is missing' : `${shown(type)} is not supported`
      report.problem(signer.place('type'), `${fault}; signer "${id}" can be "local" or "plain", or be removed`)
      return undefined
    }
  }
}
