// The rules of place: kept by every file under src/, and noticed when they are not.
import { expect, test } from 'vitest'
import { placeViolations } from './one-place.ts'
import { codeOf } from './source.ts'
import { sourceFiles } from './source-files.ts'

test('every file under src keeps the rules of place', async () => {
  expect((await sourceFiles()).flatMap(placeViolations)).toEqual([])
})

test.each([
  ['domain/fees.ts', 'const now = Date.now()'],
  ['domain/fees.ts', 'const now = new Date()'],
  ['domain/fees.ts', 'const began = performance.now()'],
  ['domain/fees.ts', `const text = \`at \${Date.now()}\``],
  ['engine/loop.ts', 'setTimeout(step, 10)'],
  ['config/environment.ts', 'const port = process.env.APP_PORT'],
  ['http/server.ts', 'process.exit(1)'],
  ['commands/transactions/submit.ts', 'const id = Math.random()'],
  ['commands/transactions/submit.ts', "import { randomUUID } from 'node:crypto'"],
  ['engine/step.ts', "if (message.includes('nonce too low')) return"],
  ['engine/step.ts', 'if (/Already Known/i.test(message)) return'],
  ['chain/nodes/endpoints.ts', 'const known = ["replacement transaction underpriced"]'],
  ['http/server.ts', 'console.log(request)'],
  ['http/server.ts', "import { Speed } from '@openzeppelin/relayer-sdk'"],
  ['domain/utils/math.ts', 'export const x = 1'],
  ['domain/index.ts', 'export const x = 1'],
  ['domain/decide/race/bid.ts', 'if (isFcfs(policy)) return undefined'],
  ['engine/step.ts', 'const { keepsFutureNonceMs } = policy.profile'],
  ['domain/decide/queue/offer.ts', 'if (observation.isPoolUnseen) return undefined'],
  ['domain/decide/follow.ts', 'const noOp = observation.lostNoOps?.get(nonce)'],
  ['domain/long.ts', 'const x = 1\n'.repeat(400)],
])('a violation in %s is reported: %s', (path, source) => {
  expect(placeViolations({ path, source: `// Its job.\n${source}` })).toHaveLength(1)
})

test('a file without a line on its job is reported', () => {
  expect(placeViolations({ path: 'domain/fees.ts', source: 'export const x = 1' })).toHaveLength(1)
})

test.each([
  ['ops/clock.ts', 'const now = Date.now()'],
  ['ops/random.ts', "import { randomFillSync } from 'node:crypto'"],
  ['chain/sending/broadcast-outcome.ts', 'const table = [/nonce too low/i]'],
  ['domain/fees.ts', '// Date.now() is not called here; geth says "nonce too low"'],
  ['domain/fees.ts', '/* console.log(Math.random()) */'],
  ['domain/fees.ts', 'const at = new Date(createdAt)'],
  ['domain/fees.ts', 'const x = 1\n'.repeat(399)],
])('an allowed import in %s is not reported', (path, source) => {
  expect(placeViolations({ path, source: `// Its job.\n${source}` })).toEqual([])
})

test('comments go, and strings that look like comments stay', () => {
  expect(codeOf("a('http://b') // c")).toBe("a('http://b')     ")
  expect(codeOf('a(/[/]\\/*/) /* c */')).toBe('a(/[/]\\/*/)        ')
  const template = `\`a \${b({ c: \`//d\` })} // e\``
  expect(codeOf(`${template} // f`)).toBe(`${template}     `)
  expect(codeOf('a / b // c')).toBe('a / b     ')
})
