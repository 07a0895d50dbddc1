// Builds the dashboard into dist/, for the package: an installed service has its files, and needs no esbuild.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleDashboard } from '../src/http/dashboard/assets.ts'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'dist/dashboard')
const { script, style } = await bundleDashboard(join(root, 'src/dashboard/main.tsx'))
await mkdir(folder, { recursive: true })
await writeFile(join(folder, 'main.js'), script)
await writeFile(join(folder, 'main.css'), style)
