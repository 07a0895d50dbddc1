// Prints how often each file uses the phrases that test/layout/english.ts counts: documents, then comments and strings of src/.
import { type Count, commentsOf, countPhrases, documentCounts, stringsOf, total } from './english.ts'
import { sourceFiles } from './source-files.ts'

const sources = await sourceFiles()

const parts: readonly (readonly [string, readonly Count[]])[] = [
  ['documents', await documentCounts()],
  ['comments of src/', sources.map(({ path, source }) => countPhrases(`src/${path}`, commentsOf(source)))],
  ['strings of src/', sources.map(({ path, source }) => countPhrases(`src/${path}`, stringsOf(source)))],
]

for (const [name, counts] of parts) {
  process.stdout.write(`${name}: ${total(counts)}\n`)
  for (const count of counts.filter((each) => each.total > 0).sort((one, other) => other.total - one.total)) {
    const phrases = Object.entries(count.phrases).filter(([, times]) => times > 0)
    const list = phrases.map(([phrase, times]) => `${phrase} ${times}`).join(', ')
    process.stdout.write(`${String(count.total).padStart(5)}  ${count.path}: ${list}\n`)
  }
}
