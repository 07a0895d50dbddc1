#!/usr/bin/env node
// The process: arguments, signals, exit code. Everything else is loaded once the runtime is known to carry it.

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 12)) {
  process.stderr.write(
    `rescind needs Node 22.12 or later and runs on ${process.versions.node}; "npm start" in its folder uses the Node it brings along\n`,
  )
  process.exit(1)
}

const { serve } = await import('./serve.ts')
const stop = new AbortController()
// The first signal drains; a later one, from somebody who can't wait, ends it as a crash would, and loses nothing. Ctrl-C
// arrives twice at once, from the terminal and through npm, and counts as one.
const oneSignalSeconds = 2
let askedAt: number | undefined
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    if (askedAt !== undefined && process.uptime() - askedAt > oneSignalSeconds) process.exit(1)
    askedAt ??= process.uptime()
    stop.abort()
  })
}
process.exit(await serve({ env: process.env, directory: process.cwd(), stop: stop.signal, stderr: process.stderr }))
