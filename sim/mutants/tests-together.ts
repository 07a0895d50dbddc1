// Tries mutants one after the other, each with the test that it names, in one process: to start Vitest takes longer than most of
// these tests. Prints a line of JSON for each.
import { fileURLToPath } from 'node:url'
import { startVitest } from 'vitest/node'
import { mutants } from './mutants.ts'
import type { Tried } from './together.ts'

const config = fileURLToPath(new URL('./vitest.config.ts', import.meta.url))

async function tryOut(name: string): Promise<Tried> {
  const caughtBy = mutants.find((each) => each.name === name)?.caughtBy
  if (caughtBy === undefined) throw new Error(`there is no mutant "${name}" with a test`)
  const options = { config, mode: name, run: true, watch: false, pool: 'threads', reporters: [{}] }
  const vitest = await startVitest([caughtBy], options)
  try {
    // A file that fails as a whole was not run, and notices nothing.
    const [failed] = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests('failed')])
    return failed === undefined ? { name } : { name, noticed: `${caughtBy} > ${failed.fullName}` }
  } finally {
    await vitest.close()
  }
}

for (const name of process.argv.slice(2)) process.stdout.write(`${JSON.stringify(await tryOut(name))}\n`)
