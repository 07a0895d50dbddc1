// The documents of the repository, which several rules read.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** README and its neighbors, and every page in docs/. */
export async function documentNames(): Promise<readonly string[]> {
  const entries = await readdir(join(import.meta.dirname, '../../docs'))
  const pages = entries.filter((name) => name.endsWith('.md')).sort()
  return ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...pages.map((name) => `docs/${name}`)]
}
