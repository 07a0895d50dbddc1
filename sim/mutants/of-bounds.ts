// Mutants of the bounds on what one request may cost: sizes of payloads, bodies, pages and passed-on answers.
import type { Mutant } from './mutant.ts'

export const ofBounds: readonly Mutant[] = [
  {
    name: 'store-what-no-pool-accepts',
    breaks: 'stores a payload whose signed size is above what the pools of its network accept',
    caughtBy: 'test/domain/signed-bytes.test.ts',
    expects: 'what pools take is accepted to the last bytes',
    edits: [{ file: 'src/domain/submit.ts', find: 'if (bytes <= most) return', put: 'if (bytes <= 8 * most) return' }],
  },
  {
    name: 'leave-the-access-list-out-of-a-size',
    breaks: 'counts no storage key of an access list in the size of a signed transaction',
    caughtBy: 'test/domain/signed-bytes.test.ts',
    expects: 'a network with another limit, and an access list counts',
    edits: [
      {
        file: 'src/domain/submit.ts',
        find: 'storageKeyBytes * storageKeys.length',
        put: 'storageKeyBytes * Math.min(0, storageKeys.length)',
      },
    ],
  },
  {
    name: 'hold-a-whole-page',
    breaks: 'reads and writes all large payloads of a page at once',
    caughtBy: 'test/http/server/limit-unread.test.ts',
    expects: 'a key that does not read is refused more, another is not',
    edits: [
      {
        file: 'src/http/response/sliced-list.ts',
        find: 'room = pageSliceBytes',
        put: 'room = pageSliceBytes * 1_000_000',
      },
    ],
  },
  {
    name: 'take-a-read-by-post-for-a-change',
    breaks: 'leaves unread answers of a JSON-RPC read out of the limit of reads, since its method is POST',
    caughtBy: 'test/http/relayers/rpc.test.ts',
    expects: 'unread answers count as those of every read',
    edits: [
      {
        file: 'src/http/server/limit-unread.ts',
        find: 'const isRead = !isChangeRequest(request)',
        put: "const isRead = !isChangeRequest(request) && request.method !== 'POST'",
      },
    ],
  },
  {
    name: 'pass-on-any-number-of-bytes',
    breaks: "passes on a node's answer of any size",
    caughtBy: 'test/http/relayers/rpc.test.ts',
    expects: 'an answer beyond 1 MiB is not passed on, and no other node is called',
    edits: [
      {
        file: 'src/chain/nodes/forward.ts',
        find: 'if (bytes > bytesMax) return',
        put: 'if (bytes > bytesMax * 100) return',
      },
    ],
  },
  {
    name: 'end-a-forwarded-value-early',
    breaks: "takes a quote that a backslash escapes for the end of a text in a node's answer",
    caughtBy: 'test/chain/nodes/scan-answer.unit.test.ts',
    expects: 'a value can neither end early nor hold a member of the answer around it',
    edits: [
      { file: 'src/chain/nodes/scan-answer.ts', find: 'return slashes % 2 === 1', put: 'return slashes % 2 === 2' },
    ],
  },
  {
    name: 'parse-any-body',
    breaks: 'parses a body of any number of brackets and commas',
    caughtBy: 'test/http/transactions/large-bodies.test.ts',
    expects: 'is refused by their number',
    edits: [
      {
        file: 'src/http/request/parse-json.ts',
        find: "if (parts > partsMax) return 'parts'",
        put: "if (parts > partsMax * 100) return 'parts'",
      },
    ],
  },
  {
    name: 'charge-a-large-body-as-one-request',
    breaks: 'charges a body of four MiB like one of four bytes',
    caughtBy: 'test/http/transactions/large-bodies.test.ts',
    expects: 'a body costs a further request for each 64 KiB of it',
    edits: [
      {
        file: 'src/http/request/limit-rate.ts',
        find: 'return Math.floor(bytes / bytesOfARequest)',
        put: 'return Math.floor(bytes / bytesOfARequest / 1_000)',
      },
    ],
  },
  {
    name: 'parse-large-bodies-of-a-key-at-once',
    breaks: 'parses all large bodies of one key in one turn of the event loop',
    caughtBy: 'test/http/request/parse-large-bodies.unit.test.ts',
    expects: 'are parsed one after the other, and those of another key beside',
    edits: [{ file: 'src/http/request/parse-json.ts', find: 'takeTurn(key)', put: 'takeTurn(request.id)' }],
  },
  {
    name: 'parse-one-large-body-of-all-keys',
    breaks: 'lets the large bodies of one key wait for those of another',
    caughtBy: 'test/http/request/parse-large-bodies.unit.test.ts',
    expects: 'are parsed one after the other, and those of another key beside',
    edits: [{ file: 'src/http/request/parse-json.ts', find: 'takeTurn(key)', put: "takeTurn('any')" }],
  },
  {
    name: 'read-a-page-of-events-whole',
    breaks: 'reads fifty events at once, however large they are',
    caughtBy: 'test/store/sqlite.test.ts',
    expects: 'a window of large events ends early, and the next one goes on',
    edits: [
      {
        file: 'src/store/events/read-events.ts',
        find: 'if (bytes > windowBytesMax) return',
        put: 'if (bytes > windowBytesMax * 1_000) return',
      },
    ],
  },
]
