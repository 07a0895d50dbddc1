// Builds the script and the style of the dashboard from their source, in memory.
import { OperatorError } from '../../ops/operator-error.ts'

export interface Bundle {
  readonly script: Uint8Array
  readonly style: Uint8Array
}

/** `entry` is the path of `src/dashboard/main.tsx`. Throws OperatorError where esbuild is not installed. */
export async function bundleDashboard(entry: string): Promise<Bundle> {
  const { build } = await import('esbuild').catch((cause: unknown) => {
    throw new OperatorError(
      'the dashboard needs esbuild to be built from a checkout; run npm ci, also for development',
      {
        cause,
      },
    )
  })
  const { outputFiles } = await build({
    entryPoints: [entry],
    outdir: '/',
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: ['es2022'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'silent',
  })
  const ending = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))?.contents ?? new Uint8Array()
  return { script: ending('.js'), style: ending('.css') }
}
