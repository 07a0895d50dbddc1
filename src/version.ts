// Reads this version from the manifest, which stands beside `src` and `dist`.
import { readFile } from 'node:fs/promises'

export const packageRoot = new URL('../', import.meta.url)

export async function readVersion(): Promise<string> {
  const manifest = await readFile(new URL('package.json', packageRoot), 'utf8')
  return String(JSON.parse(manifest).version)
}
