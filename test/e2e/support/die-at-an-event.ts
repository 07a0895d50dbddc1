// Loaded before the service (node --import): it dies at the event of a relayer, once for each file that a test puts into its directory, and its
// minutes are seconds.
import { put } from '../../../sim/mutants/substitute.ts'

/** `die-in-the-commit`: the event is written, the report is not. `die-after-the-commit`: both are, and nobody knows. */
const dieAt = (file: string) =>
  `if (fs.existsSync('${file}')) { fs.rmSync('${file}'); process.kill(process.pid, 'SIGKILL') }`
const withFs = (rest: string) => `import fs from 'node:fs'\n${rest}`

put('die-at-an-event', [
  {
    file: 'src/domain/attention.ts',
    find: 'const countsAfterMs = 60_000',
    put: 'const countsAfterMs = 2_000',
  },
  {
    file: 'src/store/reports/attentions.ts',
    find: "import { sql } from 'kysely'",
    put: withFs("import { sql } from 'kysely'"),
  },
  {
    file: 'src/store/reports/attentions.ts',
    find: '    attention: toJson(attention),\n  })\n}',
    put: `    attention: toJson(attention),\n  })\n  ${dieAt('die-in-the-commit')}\n  process.env['PUBLISHED'] = 'yes'\n}`,
  },
  {
    file: 'src/reports/record-reports.ts',
    find: "import { defined } from '../domain/defined.ts'",
    put: withFs("import { defined } from '../domain/defined.ts'"),
  },
  {
    file: 'src/reports/record-reports.ts',
    find: 'recordAll(session, due))\n',
    put: `recordAll(session, due))\n    if (process.env['PUBLISHED']) { ${dieAt('die-after-the-commit')} }\n`,
  },
])
