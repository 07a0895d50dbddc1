#!/usr/bin/env node
// The process: arguments, signals, exit code. Loads everything else once the Node version is checked.

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 12)) {
  const { argv, versions } = process
  const quoted = (each: string) => (/^[\w@%+=:,./-]+$/.test(each) ? each : `'${each.replace(/'/g, "'\\''")}'`)
  const works = ['npx -p node@24 -p rescind rescind', ...argv.slice(2).map(quoted)].join(' ')
  process.stderr.write(`rescind needs Node 22.12 or later and runs on ${versions.node}; this works: ${works}\n`)
  process.exit(1)
}

const { parseArguments } = await import('./arguments.ts')
const command = parseArguments(process.argv.slice(2))
const stop = new AbortController()
// The first signal drains. A later one ends the process as a crash would, and loses nothing. Ctrl-C arrives twice at once,
// from the terminal and through npm, and counts as one.
const oneSignalSeconds = 2
let calledAt: number | undefined
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    if (calledAt !== undefined && process.uptime() - calledAt > oneSignalSeconds) process.exit(1)
    calledAt ??= process.uptime()
    stop.abort()
  })
}

const around = {
  env: process.env,
  directory: process.cwd(),
  stop: stop.signal,
  stdout: process.stdout,
  stderr: process.stderr,
}
switch (command.run) {
  case 'service': {
    const { serve } = await import('./serve.ts')
    // Warnings of Node, on a disk that is full: no reason to end.
    process.stderr.on('error', () => undefined)
    process.exit(await serve(around))
    break
  }
  case 'help':
    process.stdout.write(command.text)
    break
  case 'version': {
    const { readVersion } = await import('./version.ts')
    process.stdout.write(`${await readVersion()}\n`)
    break
  }
  case 'command': {
    // A reader such as `head` may leave early.
    process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
    const { run } = await import('./cli/run.ts')
    process.exitCode = await run(command.args, { ...around, stdin: process.stdin })
    break
  }
  case 'nothing':
    process.stderr.write(command.text)
    process.exitCode = 2
    break
  default: {
    const { transfer } = await import('./transfer.ts')
    process.exit(await transfer({ ...command, ...around }))
  }
}
