// Reads this version from the manifest.
import { readFile } from 'node:fs/promises'

export async function readVersion(): Promise<string> {
  const manifest = await readFile(new URL('../package.json', import.meta.url), 'utf8')
  return String(JSON.parse(manifest).version)
}
