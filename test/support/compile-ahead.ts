// Joins the modules of the service into a few files, and fills the compile cache, before services start. Most of the cost of a
// start is to find and link 2,300 modules. Services are killed as a rule, and then leave nothing in the cache.
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { bundleDashboard } from '../../src/http/dashboard/assets.ts'
import { startService, testedServiceVariable } from '../../tooling/service.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** `version.ts` and Node read a manifest: it stands beside this folder, as it does beside `src`, and so do the pages. */
const cache = join(root, 'node_modules/.cache/tested-service')
const folder = join(cache, 'joined')

/** What loads files of its own at run time, and what is loaded only when somebody opens it. */
const apart = [
  ...['better-sqlite3', 'secp256k1', 'pg-native', '@scalar/fastify-api-reference'],
  ...['@aws-sdk/client-kms', 'google-auth-library', 'pkcs11js', 'esbuild'],
]

/** Once for all projects of a run. TESTED_SERVICE=$PWD/src/main.ts runs the services from the source, module by module. */
export default async function setUp(): Promise<void> {
  if (process.env[testedServiceVariable] !== undefined) return
  process.env[testedServiceVariable] = await joined()
  // Ended softly, it leaves in the cache what a start compiles.
  await using service = await startService({
    networks: [{ name: 'local', rpcUrls: ['http://127.0.0.1:1'] }],
    relayers: [],
  })
  await service.stop()
}

async function joined(): Promise<string> {
  await using bundle = await rolldown({
    // A thread and a process begin with files of their own.
    input: {
      main: join(root, 'src/main.ts'),
      'pkcs11-thread': join(root, 'src/signers/pkcs11-thread.ts'),
      'pkcs11-child': join(root, 'src/signers/pkcs11-child.ts'),
      'large-answer-thread': join(root, 'src/chain/nodes/large-answer-thread.ts'),
    },
    platform: 'node',
    external: apart,
    // Nothing is left out that a package does at its load.
    treeshake: false,
  })
  const { output } = await bundle.generate({ format: 'esm', chunkFileNames: '[name].js' })
  await mkdir(folder, { recursive: true })
  await replace(join(cache, 'package.json'), await readFile(join(root, 'package.json'), 'utf8'))
  await mkdir(join(cache, 'docs'), { recursive: true })
  const ofDocs = (await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md'))
  for (const page of ['README.md', 'CHANGELOG.md', ...ofDocs.map((name) => `docs/${name}`)]) {
    await replace(join(cache, page), await readFile(join(root, page)))
  }
  for (const file of output) {
    if (file.type === 'chunk') await replace(join(folder, file.fileName), file.code)
  }
  // Where `src/http/dashboard/assets.ts` looks for built files, seen from the joined ones.
  const { script, style } = await bundleDashboard(join(root, 'src/dashboard/main.tsx'))
  await mkdir(join(cache, '../dashboard'), { recursive: true })
  await replace(join(cache, '../dashboard/main.js'), script)
  await replace(join(cache, '../dashboard/main.css'), style)
  return join(folder, 'main.js')
}

/** Another run may be reading it. */
async function replace(path: string, content: string | Uint8Array): Promise<void> {
  const beside = `${path}.${process.pid}`
  await writeFile(beside, content)
  await rename(beside, path)
}
