// Documents, comments and messages stay plain: phrases that a reader has to decode are counted, and their number may only fall.
import { expect, test } from 'vitest'
import {
  commentsOf,
  countPhrases,
  documentCounts,
  proseOf,
  roomCounts,
  sharedRooms,
  stringsOf,
  total,
} from './english.ts'
import { sourceFiles } from './source-files.ts'

/** Lower it when you rewrite a sentence. `node test/layout/count-english.ts` prints where the phrases are. */
const budgets = { documents: 8, comments: 63, strings: 32 }

test('the documents stay under the budget', async () => {
  expect(total(await documentCounts())).toBeLessThanOrEqual(budgets.documents)
})

test.each([
  ['comments', commentsOf],
  ['strings', stringsOf],
] as const)('the %s of the source stay under the budget', async (name, textOf) => {
  const files = await sourceFiles()
  const counts = files.map(({ path, source }) => countPhrases(path, textOf(source)))
  expect(total(counts)).toBeLessThanOrEqual(budgets[name])
})

/** Phrases in 1,000 lines of tooling/, test/, bench/ and demo/. */
const inThousandLinesMax = 4

test.each(sharedRooms)('comments and strings of %s/ stay under the budget', async (room) => {
  expect((await roomCounts(room)).inThousandLines).toBeLessThanOrEqual(inThousandLinesMax)
})

test.each([
  ['what is …', 'the service returns what was asked'],
  ['who has …', 'whoever holds the key signs'],
  ['of which', 'ten blocks, of\nwhich two are empty'],
  ['forms of tell', 'the answer told the client'],
  ['forms of ask', 'the node is asking'],
  ['forms of hear', 'a revocation is heard later'],
  ['forms of know', 'a node that knows the hash'],
  ['hand over', 'the bytes are handed over again'],
])('"%s" is found', (phrase, text) => {
  expect(countPhrases('a.md', text).phrases[phrase]).toBe(1)
})

test('plain sentences have none', () => {
  const text = 'The owner signs the attempt, records it, and broadcasts it. An unknown outcome is retried.'
  expect(countPhrases('a.md', text).total).toBe(0)
})

test('recorded answers of nodes do not count', () => {
  expect(countPhrases('a.ts', stringsOf("const answer = 'already known'")).total).toBe(0)
})

test('code in a document does not count', () => {
  const text = ['`what is asked`', '```sh', 'tell it', '```', '[told](ask.md#known)'].join('\n')
  expect(countPhrases('a.md', proseOf(text)).phrases).toMatchObject({
    'what is …': 0,
    'forms of ask': 0,
    'forms of tell': 1,
    'forms of know': 0,
  })
})

test('comments and strings of a source file count apart, and its code does not', () => {
  const source = `import { ask } from './tell.ts'\n// The node tells us.\nconst told = 'who has been asked'\n`
  expect(countPhrases('a.ts', commentsOf(source))).toMatchObject({ total: 1, phrases: { 'forms of tell': 1 } })
  expect(countPhrases('a.ts', stringsOf(source))).toMatchObject({
    total: 2,
    phrases: { 'who has …': 1, 'forms of ask': 1 },
  })
})
