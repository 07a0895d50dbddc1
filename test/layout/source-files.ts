// Every TypeScript file of a room, read once a test.
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { SourceFile } from './import-matrix.ts'

/** Paths are relative to the folder. */
export async function sourceFiles(folder = 'src'): Promise<readonly SourceFile[]> {
  const root = join(import.meta.dirname, '../..', folder)
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name))
  return Promise.all(
    files.map(async (entry) => {
      const full = join(entry.parentPath, entry.name)
      return { path: relative(root, full).split(sep).join('/'), source: await readFile(full, 'utf8') }
    }),
  )
}
