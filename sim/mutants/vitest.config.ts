// Runs tests on a mutant: `vitest run --config sim/mutants/vitest.config.ts --mode NAME FILE`.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { sourcesOf } from './substitute.ts'

export default defineConfig(({ mode }) => {
  const sources = sourcesOf(mode)
  return {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    plugins: [{ name: 'mutant', enforce: 'pre', load: (id: string) => sources.get(id) }],
    test: {
      testTimeout: 60_000,
      hookTimeout: 60_000,
      expect: { poll: { timeout: 5_000 } },
      include: ['test/**/*.test.ts'],
    },
  }
})
